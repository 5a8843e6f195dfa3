import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nothing } from '../fault.ts';
import type { Fault } from '../fault.ts';
import { HUNG_MS } from '../journal.ts';
import type { World } from '../world.ts';

/* What Postgres does, or is made to do. */

/** Of the login that the service has. */
const THROW_OUT = `
  select pg_terminate_backend(pid) from pg_stat_activity
  where datname = $1 and application_name like 'taxclaims%'`;

async function limit({ admin }: World, connections: number): Promise<void> {
  const { login } = JSON.parse(process.env['TAXCLAIMS_TEST_RUN'] ?? '{}') as { login: { name: string } };
  await admin(`alter role ${login.name} connection limit ${connections}`);
}

export const faults: readonly Fault[] = [
  {
    name: 'backend-killed',
    what: 'kill -9 of one of Postgres’s sessions: the server throws all of them out and recovers',
    must: 'the service finds it again by itself',
    holdMs: 0,
    async begin({ admin, database }) {
      const [{ pid } = {}] = await admin(
        `select pid from pg_stat_activity where datname = $1 and application_name like 'taxclaims-api%' limit 1`,
        [database],
      );
      process.kill(Number(pid), 'SIGKILL');
      return nothing;
    },
  },
  {
    name: 'embedded-postmaster-killed',
    what: 'kill -9 of the postmaster of the embedded Postgres',
    must: 'the service starts it again by itself',
    world: { embedded: true },
    holdMs: 5_000,
    async begin({ folder }) {
      const file = join(folder, 'data', 'postgres', 'data', 'postmaster.pid');
      process.kill(Number((await readFile(file, 'utf8')).split('\n')[0]), 'SIGKILL');
      return () => Promise.resolve();
    },
  },
  {
    name: 'in-recovery',
    what: 'Postgres comes back as a standby, which only reads, and is promoted',
    must: 'writes are 503 and not refused, and the service writes again after',
    holdMs: 2_000,
    async begin({ cluster, admin }) {
      await cluster.startAsStandby();
      return async () => {
        await admin('select pg_promote(true, 30)');
      };
    },
  },
  {
    name: 'postgres-frozen',
    what: 'SIGSTOP of every process of Postgres for longer than the time-outs, then SIGCONT',
    must: 'nobody waits for it longer than the time-outs, and the service finds it again',
    holdMs: HUNG_MS + 1_000,
    async begin({ cluster }, load) {
      await cluster.freeze();
      load.burst(20, ['create site', 'create claim']);
      return () => cluster.thaw();
    },
  },
  {
    name: 'postgres-stopped',
    what: 'Postgres is shut down and started again',
    must: 'the service finds it again by itself',
    holdMs: 1_500,
    async begin({ cluster }) {
      await cluster.stop();
      return () => cluster.start();
    },
  },
  {
    name: 'postmaster-killed',
    what: 'kill -9 of the postmaster, and a new start a second later',
    must: 'the service finds it again by itself',
    holdMs: 1_000,
    async begin({ cluster }) {
      await cluster.killPostmaster();
      return () => cluster.start();
    },
  },
  {
    name: 'read-only',
    what: 'alter database … set default_transaction_read_only, for every new session',
    must: 'writes are 503 and not refused, and the service writes again when it may',
    holdMs: 2_000,
    async begin({ admin, database }) {
      await admin(`alter database ${database} set default_transaction_read_only = on`);
      await admin(THROW_OUT, [database]);
      return async () => {
        await admin(`begin read write; alter database ${database} reset default_transaction_read_only; commit`);
        await admin(THROW_OUT, [database]);
      };
    },
  },
  {
    name: 'connections-exhausted',
    what: 'the sessions of the service are ended, and the server takes one of its connections and no other',
    must: 'the service makes do with it, and has all again when it may',
    holdMs: 2_500,
    async begin(world) {
      await limit(world, 1);
      await world.admin(THROW_OUT, [world.database]);
      return () => limit(world, -1);
    },
  },
];
