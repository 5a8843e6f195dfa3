import { nothing } from '../fault.ts';
import type { Fault } from '../fault.ts';
import { holdTable } from '../held-table.ts';
import { killAndStart } from '../service-process.ts';
import type { World } from '../world.ts';

/*
 * These tests interrupt requests that create records, in the middle of their database transactions. The load test then
 * sends the same requests again with the same Idempotency-Key.
 */

/** For each kind of request that creates a record, the table that the test locks to make the request wait. */
const TABLES = { 'create site': 'sites', upload: 'documents' };
const OPERATIONS = Object.keys(TABLES);
const BURST = 60;
/**
 * The test interrupts the service once this number of creating requests wait for a lock. The number is high enough that
 * some of these requests have an Idempotency-Key.
 */
const WAITING_AT_LEAST = 4;

/** Counts the service’s database sessions that wait for the table that `holdTable` has locked. */
const WAITING = `
  select pid, query from pg_stat_activity
  where datname = $1 and application_name like 'taxclaims-api%' and wait_event_type = 'Lock'`;

/**
 * Interrupts requests that create sites, and then requests that upload documents, while their transactions wait for a
 * lock.
 */
function interruptedBy(interrupt: (world: World) => Promise<unknown>): Fault['begin'] {
  return async (world, load) => {
    for (const [operation, table] of Object.entries(TABLES)) {
      const release = await holdTable(world, `public.${table}`);
      load.burst(BURST, [operation]);
      const waiting = `select from (${WAITING}) as w where query like $2`;
      while ((await world.admin(waiting, [world.database, `%insert into public.${table}%`])).length < WAITING_AT_LEAST);
      await interrupt(world);
      await release();
    }
    return nothing;
  };
}

const meets = Object.fromEntries(
  OPERATIONS.map((operation) => [
    `a request '${operation}' got no answer, and its repetition with the same Idempotency-Key was answered`,
    `select from requests where keyed and operation = '${operation}' and is_unknown and is_acknowledged`,
  ]),
);

export const faults: readonly Fault[] = [
  {
    name: 'session-killed-while-creating',
    what: 'Postgres ends the database sessions of creations and uploads in the middle of their transactions',
    must: 'interrupted creations get 503 and store nothing, and each repeated Idempotency-Key has one record and one answer',
    holdMs: 500,
    meets,
    begin: interruptedBy((world) =>
      world.admin(`select pg_terminate_backend(pid) from (${WAITING}) as w`, [world.database]),
    ),
  },
  {
    name: 'service-killed-while-creating',
    what: 'the service is killed in the middle of the transactions of creations and uploads, and started again',
    must: 'interrupted creations are rolled back, and each repeated Idempotency-Key has one record and one answer',
    holdMs: 0,
    endsService: true,
    meets,
    begin: interruptedBy(({ service }) => killAndStart(service)),
  },
  {
    name: 'commit-unheard',
    what: 'the connection breaks before Postgres’s answer to each commit arrives',
    must: 'a creation whose commit got no answer gets 503, and the same Idempotency-Key then gets the created record',
    holdMs: 2_500,
    meets: {
      'a creation’s commit got no answer, and a repetition with its Idempotency-Key was answered': `
        select from attempts as a
        join requests as r using (serial)
        join records as l on l.user_agent = a.agent and l.success
        where a.keyed and a.is_unknown and r.is_acknowledged`,
    },
    begin({ line }, load) {
      line.become('unheard');
      load.burst(BURST, OPERATIONS);
      return Promise.resolve(() => {
        line.become('whole');
        return Promise.resolve();
      });
    },
  },
];
