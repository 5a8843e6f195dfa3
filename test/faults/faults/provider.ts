import { setTimeout as delay } from 'node:timers/promises';
import { broken, instead, quiet } from '../../support/management.ts';
import type { Fault as ProviderFault } from '../../support/management.ts';
import { nothing } from '../fault.ts';
import type { Fault } from '../fault.ts';
import { killAndStart } from '../service-process.ts';
import type { World } from '../world.ts';

/* The provider that is told rights fails, or the service fails while it tells them. */

const KILLS = 3;
/** Longer than the service waits for the provider. */
const DEAF_MS = 6_000;

const meets = {
  'a change of rights was acknowledged meanwhile': `
    select from attempts as a, troubles as f
    where a.kind = 'grant' and a.status = 200 and a.at between f."from" and f."to"`,
  'the provider was told rights after': `select from told as t, troubles as f where t.at > f."to"`,
};

function spoiled(name: string, what: string, fault: ProviderFault): Fault {
  return {
    ...{ name, what, holdMs: 2_500, meets, spares: () => true },
    must: 'rights change as ever, and arrive in their order once the provider is back',
    begin({ parts: { provider } }) {
      provider.fault = fault;
      return Promise.resolve(() => {
        provider.fault = quiet;
        return Promise.resolve();
      });
    },
  };
}

/** Kills an instance each time the provider is being told something. */
const killedWhileTelling = (instanceOf: (world: World) => World['service'] | undefined): Fault['begin'] => {
  return async (world) => {
    const instance = instanceOf(world);
    for (let kill = 0; kill < KILLS; kill += 1) {
      const { length } = world.parts.told;
      while (world.parts.told.length === length) await delay(5);
      if (instance !== undefined) await killAndStart(instance);
    }
    return nothing;
  };
};

export const faults: readonly Fault[] = [
  spoiled('provider-away', 'the provider breaks each connection over which it is told rights', broken),
  spoiled('provider-fails', 'the provider answers 500 to each change of rights', instead(500, '{}')),
  {
    name: 'provider-deaf',
    what: 'the provider does what it is told, and answers nothing for longer than the time-out',
    must: 'rights change as ever; what the provider was told unanswered it is told again, and never after later rights',
    holdMs: DEAF_MS,
    meets,
    spares: () => true,
    begin({ parts: { provider } }) {
      const { answering } = provider;
      const back = Promise.withResolvers<undefined>();
      provider.answering = async (asked) => {
        await answering(asked);
        await back.promise;
      };
      return Promise.resolve(() => {
        provider.answering = answering;
        back.resolve(undefined);
        return Promise.resolve();
      });
    },
  },
  {
    name: 'service-killed-while-telling',
    what: 'kill -9 of the service three times while it tells the provider rights, and new starts',
    must: 'each acknowledged change of rights arrives, and no withdrawn right is accepted',
    holdMs: 0,
    endsService: true,
    begin: killedWhileTelling(({ service }) => service),
  },
  {
    name: 'peer-killed-while-telling',
    what: 'two instances serve; kill -9 of one of them three times while the provider is told rights, and new starts',
    must: 'each acknowledged change of rights arrives in its order; the other instance accepts no withdrawn right',
    world: { peer: true },
    holdMs: 0,
    begin: killedWhileTelling(({ peer }) => peer),
  },
];
