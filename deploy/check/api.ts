import { setTimeout as delay } from 'node:timers/promises';
import { migrateWithCommand } from '../../test/faults/commands.ts';
import type { Haproxy } from '../lab/haproxy.ts';
import { releaseBefore } from '../lab/release.ts';
import type { Bounds, Fault, Result } from './fault.ts';
import { frontOf, sessionsOf, untilUp } from './front.ts';
import { onOwnPostgres } from './own-postgres.ts';
import type { Front, Running, UnderLoad } from './under-load.ts';
import type { World } from './world.ts';

/* Two instances behind HAProxy, on one Postgres. */

/** How long both releases serve beside each other, and one instance serves alone. */
const BESIDE_MS = 4_000;

interface Break {
  readonly name: string;
  readonly bounds: Bounds;
  /** Whether the release before is there at first. */
  readonly fromBefore?: true;
  begin: (running: Running, haproxy: Haproxy) => Promise<void>;
}

const BREAKS: readonly Break[] = [
  {
    name: 'one of two restarted',
    bounds: { failed: 0 },
    begin: (running, haproxy) => restart(running, haproxy, 0),
  },
  {
    name: 'the release before replaced, one by one',
    bounds: { failed: 0 },
    fromBefore: true,
    async begin(running, haproxy) {
      await migrateWithCommand(await running.adminUrl());
      await delay(BESIDE_MS);
      await restart(running, haproxy, 0);
      await delay(BESIDE_MS);
      await restart(running, haproxy, 1);
    },
  },
  {
    // What it had taken is gone with it; the checks see that a second later nobody is sent there.
    name: 'one of two killed',
    bounds: { backAfterMs: 5_000 },
    async begin({ services: [one] }) {
      one?.signal('SIGKILL');
      await one?.ended();
      await delay(BESIDE_MS);
      await one?.start();
    },
  },
];

export const faults: readonly Fault[] = BREAKS.map((one) => ({
  ...{ part: 'api', fault: one.name, bounds: one.bounds },
  run: (world: World) => tryBreak(world, one),
}));

async function tryBreak(world: World, { begin, fromBefore }: Break): Promise<Result> {
  let haproxy: Haproxy | undefined;
  const options: UnderLoad = {
    ...(await onOwnPostgres(world, { TRUST_PROXY: '1' })),
    instances: 2,
    front: async (ports, dir): Promise<Front> => (haproxy = await frontOf(ports, dir)),
    async break(running) {
      if (haproxy !== undefined) await begin(running, haproxy);
      return undefined;
    },
  };
  if (fromBefore === undefined) return world.underLoad(options);
  return world.underLoad({ ...options, release: await releaseBefore(world.folder('release'), world.from) });
}

/** As an operator restarts an instance: nobody new is sent there, what it has is finished, and then it ends. */
async function restart({ services }: Running, haproxy: Haproxy, index: number): Promise<void> {
  const name = `api/api${index + 1}`;
  await haproxy.ask(`set server ${name} state drain`);
  while ((await sessionsOf(haproxy, index)) > 0) await delay(50);
  services[index]?.signal('SIGTERM');
  const ended = await services[index]?.ended();
  if (ended?.how !== 0) throw new Error(`the instance ended with ${String(ended?.how)}`);
  await services[index]?.start();
  await haproxy.ask(`set server ${name} state ready`);
  await untilUp(haproxy, 2);
}
