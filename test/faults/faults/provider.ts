import { setTimeout as delay } from 'node:timers/promises';
import { broken, instead, quiet } from '../../support/management.ts';
import type { Fault as ProviderFault } from '../../support/management.ts';
import { nothing } from '../fault.ts';
import type { Fault } from '../fault.ts';
import { killAndStart } from '../service-process.ts';
import type { World } from '../world.ts';

/*
 * These tests break the identity provider, or the service while it sends changes of users’ rights to the provider.
 */

const KILLS = 3;
/** How long the identity provider does not answer, in milliseconds. The service gives up waiting earlier. */
const DEAF_MS = 6_000;

const meets = {
  'a change of rights was acknowledged while the identity provider failed': `
    select from attempts as a, troubles as f
    where a.kind = 'grant' and a.status = 200 and a.at between f."from" and f."to"`,
  'the service sent changes of rights after the identity provider’s failure': `select from told as t, troubles as f where t.at > f."to"`,
};

function spoiled(name: string, what: string, fault: ProviderFault): Fault {
  return {
    ...{ name, what, holdMs: 2_500, meets, spares: () => true },
    must: 'users’ rights change as usual, and reach the identity provider in their order once the provider answers',
    begin({ parts: { provider } }) {
      provider.fault = fault;
      return Promise.resolve(() => {
        provider.fault = quiet;
        return Promise.resolve();
      });
    },
  };
}

/** Kills an instance of the service each time that it is sending a user’s new rights to the identity provider. */
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
  spoiled(
    'provider-away',
    'the identity provider breaks each connection over which the service sends changes of rights',
    broken,
  ),
  spoiled('provider-fails', 'the identity provider answers 500 to each change of rights', instead(500, '{}')),
  {
    name: 'provider-deaf',
    what: 'the identity provider stores each change of rights, and answers nothing for longer than the time-out',
    must: 'users’ rights change as usual, and the service sends each unanswered change again, never after a later change',
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
    what: 'the service is killed three times while it sends changes of rights to the identity provider, and started again',
    must: 'each acknowledged change of rights reaches the identity provider, and the service accepts no withdrawn right',
    holdMs: 0,
    endsService: true,
    begin: killedWhileTelling(({ service }) => service),
  },
  {
    name: 'peer-killed-while-telling',
    what: 'one of two instances is killed three times while it sends changes of rights to the identity provider',
    must: 'acknowledged changes of rights reach the identity provider in order, and the other instance accepts no withdrawn right',
    world: { peer: true },
    holdMs: 0,
    begin: killedWhileTelling(({ peer }) => peer),
  },
];
