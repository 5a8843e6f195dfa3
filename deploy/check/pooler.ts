import { startPgBouncer } from '../lab/pgbouncer.ts';
import type { PgBouncer } from '../lab/pgbouncer.ts';
import { startPostgres } from '../lab/postgres.ts';
import type { Bounds, Fault, Result } from './fault.ts';
import type { World } from './world.ts';

interface Break {
  readonly name: string;
  readonly bounds: Bounds;
  readonly holdMs: number;
  /** Breaks PgBouncer, for example by killing it. Returns a function that repairs it. */
  begin: (pooler: PgBouncer) => Promise<() => Promise<void>>;
}

const BACK: Bounds = { backAfterMs: 20_000 };
const NOTHING = (): Promise<void> => Promise.resolve();

const BREAKS: readonly Break[] = [
  {
    ...{ name: 'PgBouncer is killed, and started again', bounds: BACK, holdMs: 2_000 },
    async begin(pooler) {
      await pooler.kill();
      return () => pooler.start();
    },
  },
  {
    ...{ name: 'PgBouncer is frozen, and continues', bounds: BACK, holdMs: 8_000 },
    async begin(pooler) {
      await pooler.freeze();
      return () => pooler.resume();
    },
  },
  {
    ...{ name: 'PgBouncer gets RELOAD', bounds: { failed: 0 }, holdMs: 1_000 },
    async begin(pooler) {
      await pooler.command('RELOAD');
      return NOTHING;
    },
  },
  {
    // After PAUSE, PgBouncer lets requests wait until RESUME. The wait of 3 s is shorter than the service’s time-outs,
    // so no request fails.
    ...{ name: 'PgBouncer gets PAUSE, and RESUME after 3 s', bounds: { failed: 0 }, holdMs: 3_000 },
    async begin(pooler) {
      await pooler.command('PAUSE');
      return () => pooler.command('RESUME');
    },
  },
  {
    ...{ name: 'PgBouncer gets PAUSE, and RESUME after 12 s', bounds: BACK, holdMs: 12_000 },
    async begin(pooler) {
      await pooler.command('PAUSE');
      return () => pooler.command('RESUME');
    },
  },
];

/**
 * The values of DATABASE_PREPARED_STATEMENTS in the tests with PgBouncer. With `true`, the service must notice by
 * itself that PgBouncer keeps no prepared statements.
 */
const PREPARED = ['true', 'false'] as const;

export const faults: readonly Fault[] = BREAKS.map((one, index) => ({
  part: 'pooler',
  fault: one.name,
  bounds: one.bounds,
  run: (world: World) => tryBreak(world, one, PREPARED[index % 2] ?? 'false'),
}));

async function tryBreak(world: World, { begin, holdMs }: Break, prepared: 'true' | 'false'): Promise<Result> {
  const { postgres, pooler } = await world.once('pooler', startBoth);
  return world.underLoad({
    adminUrl: (database) => Promise.resolve(postgres.url(database)),
    environment: ({ name, password, database }) => ({
      DATABASE_URL: pooler.via(`postgres://${name}:${password}@127.0.0.1/${database}`),
      DATABASE_PREPARED_STATEMENTS: prepared,
    }),
    break: () => begin(pooler),
    holdMs,
  });
}

async function startBoth(dir: string) {
  const postgres = await startPostgres({ dir: `${dir}/postgres` });
  const pooler = await startPgBouncer({ dir: `${dir}/pgbouncer`, upstream: postgres.url('postgres') });
  return {
    postgres,
    pooler,
    async close() {
      await pooler.close();
      await postgres.close();
    },
  };
}
