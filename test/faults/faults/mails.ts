import { setTimeout as delay } from 'node:timers/promises';
import { nothing } from '../fault.ts';
import type { Fault } from '../fault.ts';
import { join } from '../parts.ts';
import { killAndStart } from '../service-process.ts';
import type { World } from '../world.ts';

/* Something fails while two instances mail to users who are due a mail. */

const JOINERS = 40;
const KILLS = 3;

/** Breaks something each time that mails are on their way. */
function whileMailing(name: string, what: string, interrupt: (world: World) => Promise<unknown>): Fault {
  return {
    ...{ name, what, holdMs: 0, world: { peer: true } },
    must: 'each user who is due gets one mail, and another one only where the answer to the first was lost',
    meets: { 'mails arrived after the failure': `select from mails having count(*) >= ${KILLS * JOINERS}` },
    async begin(world) {
      const { admin, peer, parts } = world;
      for (let kill = 0; kill < KILLS; kill += 1) {
        await join(admin, JOINERS);
        const { length } = parts.mails.received;
        if (peer !== undefined) await killAndStart(peer);
        while (parts.mails.received.length < length + 2) await delay(5);
        await interrupt(world);
      }
      return nothing;
    },
  };
}

const DOWN_MS = 300;

export const faults: readonly Fault[] = [
  whileMailing(
    'mail-server-killed',
    'the mail server breaks its connections while it takes mails, three times, and starts again',
    async ({ parts: { mails } }) => {
      await mails.kill();
      await delay(DOWN_MS);
      await mails.start();
    },
  ),
  {
    ...whileMailing(
      'mail-answers-lost',
      'the mail server takes a mail and loses the answer, three times',
      async ({ parts: { mails } }) => {
        const lost = Promise.withResolvers<undefined>();
        mails.faults.answer = async () => {
          mails.faults.answer = () => Promise.resolve();
          await mails.kill();
          lost.resolve(undefined);
        };
        await lost.promise;
        await mails.start();
      },
    ),
    meets: {
      'a mail came twice, after an attempt without an answer':
        'select from named_mails where mails > 1 and cut_off > 0',
    },
  },
  whileMailing(
    'peer-killed-while-mailing',
    'kill -9 of an instance while it sends mails, three times, and new starts',
    async ({ peer }) => {
      if (peer !== undefined) await killAndStart(peer);
    },
  ),
  whileMailing(
    'postmaster-killed-while-mailing',
    'kill -9 of the postmaster while mails are sent, three times, and new starts',
    async ({ cluster }) => {
      await cluster.killPostmaster();
      await delay(DOWN_MS);
      await cluster.start();
    },
  ),
];
