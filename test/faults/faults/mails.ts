import { setTimeout as delay } from 'node:timers/promises';
import { nothing } from '../fault.ts';
import type { Fault } from '../fault.ts';
import { join } from '../parts.ts';
import { killAndStart } from '../service-process.ts';
import type { World } from '../world.ts';

/* In these tests two instances of the service send reminders by mail, and the test causes a failure meanwhile. */

const JOINERS = 40;
const KILLS = 3;

/** Causes a failure, for example kills a process, each time that the instances of the service are sending reminders. */
function whileMailing(name: string, what: string, interrupt: (world: World) => Promise<unknown>): Fault {
  return {
    ...{ name, what, holdMs: 0, world: { peer: true } },
    must: 'each user with a due reminder gets one mail, and a second one only if the mail server’s answer to the first was lost',
    meets: {
      'mails arrived after the mail server or the instance had failed': `select from mails having count(*) >= ${KILLS * JOINERS}`,
    },
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
    'the mail server is killed three times while it receives mails, and starts again',
    async ({ parts: { mails } }) => {
      await mails.kill();
      await delay(DOWN_MS);
      await mails.start();
    },
  ),
  {
    ...whileMailing(
      'mail-answers-lost',
      'the mail server accepts a mail three times without answering',
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
      'a mail came twice because the mail server had not answered the first attempt':
        'select from named_mails where mails > 1 and cut_off > 0',
    },
  },
  whileMailing(
    'peer-killed-while-mailing',
    'an instance is killed three times while it sends mails, and started again',
    async ({ peer }) => {
      if (peer !== undefined) await killAndStart(peer);
    },
  ),
  whileMailing(
    'postmaster-killed-while-mailing',
    'the postmaster is killed three times while instances send mails, and started again',
    async ({ cluster }) => {
      await cluster.killPostmaster();
      await delay(DOWN_MS);
      await cluster.start();
    },
  ),
];
