import { setTimeout as delay } from 'node:timers/promises';
import { sendTo, treeOf } from '../../test/faults/processes.ts';
import type { ServiceProcess } from '../../test/faults/service-process.ts';
import type { Bounds, Fault } from './fault.ts';
import { onOwnPostgres } from './own-postgres.ts';
import type { World } from './world.ts';

/* One instance of two workers. */

interface Break {
  readonly name: string;
  readonly bounds: Bounds;
  readonly begin: (service: ServiceProcess) => Promise<void>;
}

/** Those that serve: the children of the process that was started. */
async function workersOf({ pid }: ServiceProcess): Promise<number[]> {
  const [, ...workers] = await treeOf(pid);
  return workers;
}

const BREAKS: readonly Break[] = [
  {
    name: 'replaced, one after the other',
    bounds: { failed: 0 },
    async begin(service) {
      const before = await workersOf(service);
      service.signal('SIGHUP');
      while ((await workersOf(service)).some((pid) => before.includes(pid))) await delay(50);
    },
  },
  {
    // What it had taken is gone with it.
    name: 'one of two killed',
    bounds: { backAfterMs: 2_000 },
    async begin(service) {
      const [one = 0] = await workersOf(service);
      sendTo(one, 'SIGKILL');
    },
  },
  {
    name: 'the primary process killed, and started again',
    bounds: { backAfterMs: 20_000 },
    async begin(service) {
      service.signal('SIGKILL');
      await service.ended();
      await service.start();
    },
  },
];

export const faults: readonly Fault[] = BREAKS.map(({ name, bounds, begin }) => ({
  part: 'workers',
  fault: name,
  bounds,
  run: async (world: World) =>
    world.underLoad({
      ...(await onOwnPostgres(world, { WORKERS: '2' })),
      async break({ services: [service] }) {
        if (service !== undefined) await begin(service);
        return undefined;
      },
    }),
}));
