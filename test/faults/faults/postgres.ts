import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nothing } from '../fault.ts';
import type { Fault } from '../fault.ts';
import { HUNG_MS } from '../journal.ts';
import type { World } from '../world.ts';

/* In these tests the Postgres server ends sessions, restarts, freezes or becomes a standby. */

/** Ends all Postgres sessions of the login with which the service connects. */
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
    what: 'a Postgres backend is killed with SIGKILL, so Postgres ends all sessions and recovers',
    must: 'the service reconnects to Postgres by itself',
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
    what: 'the postmaster of the embedded Postgres is killed',
    must: 'the service starts its embedded Postgres again by itself',
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
    what: 'Postgres restarts as a read-only standby, and is promoted later',
    must: 'writes get 503, not a refusal, and succeed again after the promotion',
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
    what: 'every Postgres process is suspended for longer than the time-outs',
    must: 'no request waits longer than the time-outs, and the service reconnects',
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
    must: 'the service reconnects to Postgres by itself',
    holdMs: 1_500,
    async begin({ cluster }) {
      await cluster.stop();
      return () => cluster.start();
    },
  },
  {
    name: 'postmaster-killed',
    what: 'the postmaster is killed, and started again a second later',
    must: 'the service reconnects to Postgres by itself',
    holdMs: 1_000,
    async begin({ cluster }) {
      await cluster.killPostmaster();
      return () => cluster.start();
    },
  },
  {
    name: 'read-only',
    what: 'alter database … set default_transaction_read_only makes every new session read-only',
    must: 'writes get 503, not a refusal, and succeed again after the setting is removed',
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
    what: 'Postgres ends the sessions of the service, and accepts only one connection of the service',
    must: 'the service works with one connection, and opens the others once Postgres accepts them',
    holdMs: 2_500,
    async begin(world) {
      await limit(world, 1);
      await world.admin(THROW_OUT, [world.database]);
      return () => limit(world, -1);
    },
  },
];
