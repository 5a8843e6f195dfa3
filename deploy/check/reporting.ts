import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { freeze } from '../../test/support/freeze.ts';
import { loadTenant, WORDS } from '../../test/faults/tenants.ts';
import { createReportingLogin } from '../../test/support/reporting-login.ts';
import { startPatroni } from '../lab/patroni.ts';
import { adminOf } from '../../test/support/world.ts';
import { makeDatabase } from './database.ts';
import type { Fault, Result } from './fault.ts';
import { makeTenants } from './under-load.ts';
import type { World } from './world.ts';

/* In this test a BI tool reads from a standby of the Patroni cluster, not from the primary. */

export const faults: readonly Fault[] = [
  { part: 'reporting', fault: 'a BI login reads a standby that lags, and catches up', run: readFromStandby },
];

/** SQL that counts the sites of each client that a reporting login can read. */
const SEEN = `
  select c.id, (select count(*)::integer from reporting.sites as s where s.client_id = c.id) as sites
  from reporting.clients as c`;
/**
 * Every login can run this query on a standby. The query says whether the standby has taken over the primary’s changes
 * up to a given time.
 */
const REPLAYED = `select pg_is_in_recovery() as standby, pg_last_xact_replay_timestamp() < $1::timestamptz as before`;

async function readFromStandby(world: World): Promise<Result> {
  const cluster = await world.once('patroni', (dir) => startPatroni({ dir }));
  await cluster.settled();
  const database = await makeDatabase(cluster.leaderUrl);
  const leaderUrl = await cluster.leaderUrl(database);
  const { port } = await cluster.asynchronousStandby();
  const onLeader = adminOf(leaderUrl);
  const onStandby = adminOf(at(leaderUrl, port));
  const tenants = WORDS.slice(0, 2).map(loadTenant);
  await makeTenants(leaderUrl, tenants);
  const [first = '', second = ''] = tenants.map(({ tenant }) => tenant.client);
  const login = await createReportingLogin({ name: database, adminUrl: leaderUrl });
  const grants = (what: 'grant' | 'revoke', client: string): Promise<unknown> =>
    onLeader(`select reporting.${what}_client($1, $2)`, [login.name, client]);
  const caughtUp = async (): Promise<void> => {
    const [{ written } = {}] = await onLeader('select pg_current_wal_flush_lsn()::text as written');
    const replayed = 'select pg_last_wal_replay_lsn() >= $1::pg_lsn as done';
    while ((await onStandby(replayed, [written]))[0]?.['done'] !== true) await delay(50);
  };

  const wrong: string[] = [];
  let [requests, stale, foreign] = [0, 0, 0];
  /** Compares the sites that a reporting login reads with those that it has the right to read. */
  const sees = async (when: string, url: string, expected: Readonly<Record<string, number>>): Promise<void> => {
    const rows = await adminOf(url)(SEEN);
    requests += 1;
    const shown = new Map(rows.map(({ id, sites }) => [String(id), sites]));
    const others = [...shown.keys()].filter((id) => !(id in expected)).length;
    const old = Object.entries(expected).filter(([id, sites]) => shown.get(id) !== sites).length;
    if (others + old > 0) wrong.push(`${when}: ${JSON.stringify([...shown])}, not ${JSON.stringify(expected)}`);
    foreign += others;
    stale += old;
  };
  const standbyUrl = at(login.url, port);

  await grants('grant', first);
  await caughtUp();
  await sees('on a standby', standbyUrl, { [first]: 1 });
  const written = await adminOf(standbyUrl)('create temporary table kept ()').catch((error: unknown) => error);
  if (!(written instanceof pg.DatabaseError && written.code === '25006'))
    wrong.push(`a standby does not refuse a write with SQLSTATE 25006: ${String(written)}`);

  // The test freezes the Postgres process that receives changes on the standby. Pausing the replay of changes would not
  // work, because Patroni would resume it.
  const [{ pid } = {}] = await onStandby('select pid from pg_stat_wal_receiver');
  const resume = await freeze(Number(pid));
  try {
    const [{ now } = {}] = await onLeader('select clock_timestamp()::text as now');
    await grants('revoke', first);
    await grants('grant', second);
    await onLeader(`insert into public.sites (client_id, site_name) values ($1, 'Neuf')`, [second]);
    await sees('on the primary', login.url, { [second]: 2 });
    await sees('on a standby that lags', standbyUrl, { [first]: 1 });
    const [told] = await adminOf(standbyUrl)(REPLAYED, [now]);
    if (told?.['standby'] !== true || told['before'] !== true)
      wrong.push(`a standby that lags does not report that it lags: ${JSON.stringify(told)}`);
  } finally {
    resume();
  }
  await caughtUp();
  await sees('on a standby that caught up', standbyUrl, { [second]: 2 });
  await login.drop();
  return { requests, failed: 0, lost: 0, stale, foreign, backAfterMs: 0, wrong };
}

/** Returns the connection URL of the same database on another node of the Patroni cluster. */
function at(url: string, port: number): string {
  const address = new URL(url);
  address.port = String(port);
  return address.href;
}
