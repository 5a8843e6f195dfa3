import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { DatabaseUnavailable } from '../../src/db/errors.ts';
import { findAdminServerUrl } from '../../src/admin/deploy/admin-connection.ts';
import { SessionPool } from '../../src/db/pool.ts';
import type { PrimaryTracker } from '../../src/db/primary.ts';
import { trackPrimary } from '../../src/db/primary.ts';
import type { Session } from '../../src/db/session.ts';
import { createScratchCluster } from '../faults/cluster.ts';
import type { Cluster } from '../faults/cluster.ts';
import { withAdmin } from '../support/database.ts';
import { sql } from '../support/probe.ts';
import { createScratchFolder } from '../support/scratch.ts';
import { startSilentServer } from '../support/silent-server.ts';
import { until } from '../support/upload.ts';

/*
 * In this suite DATABASE_URL names two Postgres servers, a primary and a standby. The tests do the failovers between
 * them.
 */

const LOGIN = 'api:hunter2';

let pool: SessionPool;

const folder = await createScratchFolder();
const [one, two] = [await createScratchCluster(join(folder, 'one')), await createScratchCluster(join(folder, 'two'))];
for (const { adminUrl } of [one, two]) {
  await withAdmin(adminUrl, async (admin) => {
    await admin.query(`create role api login superuser password 'hunter2'`);
    await admin.query('create table written (at text)');
  });
}

beforeEach(async () => {
  await one.stop();
  await one.start();
  await promote(one);
  await two.startAsStandby();
  pool = poolOf(addressOf(one, two));
});

afterEach(() => pool.close());

afterAll(async () => {
  await one.remove();
  await two.remove();
  await rm(folder, { recursive: true, force: true });
});

function addressOf(...servers: readonly Pick<Cluster, 'port'>[]): string {
  const hosts = servers.map(({ port }) => `127.0.0.1:${port}`).join();
  return `postgres://${LOGIN}@${hosts}/postgres?target_session_attrs=read-write`;
}

function poolOf(url: string, primary?: PrimaryTracker): SessionPool {
  return new SessionPool({
    ...{ url, primary, poolSize: 2, statementTimeoutMs: 2_000, preparedStatements: true },
    log: pino({ level: 'silent' }),
  });
}

const portOf = async (session: Session): Promise<number> =>
  Number((await session.sendOne(sql('select inet_server_port()'), 'probe', 'idle')).rows[0]?.[0]);
const led = (): Promise<number> => pool.withSession(portOf);
const follows = (): Promise<boolean> =>
  pool.withSession(async (session) => {
    const { rows } = await session.sendOne(sql('show default_transaction_read_only'), 'probe', 'idle');
    return rows[0]?.[0] === 'on';
  });
const write = (): Promise<unknown> =>
  pool.withSession((session) => session.sendOne(sql(`insert into written values ('now')`), 'probe', 'idle'));
/** Promotes a standby server to the primary; does nothing to a primary. */
const promote = (cluster: Cluster): Promise<unknown> =>
  withAdmin(cluster.adminUrl, (admin) =>
    admin.query('select case when pg_is_in_recovery() then pg_promote(true, 30) end'),
  );

/** Makes a primary server refuse writes as a standby does, without ending its sessions. */
async function demote(cluster: Cluster, isSo: 'on' | 'off' = 'on'): Promise<void> {
  await withAdmin(cluster.adminUrl, async (admin) => {
    await admin.query(`set default_transaction_read_only = off`);
    await admin.query(`alter system set default_transaction_read_only = ${isSo}`);
    await admin.query('select pg_reload_conf()');
  });
}

describe('a DATABASE_URL with several servers', () => {
  test('a request goes to the database server that accepts writes, wherever DATABASE_URL names that server', async () => {
    expect(await led()).toBe(one.port);
    const other = poolOf(addressOf(two, one));
    expect(await other.withSession(portOf)).toBe(one.port);
    await other.close();
  });

  test('after a failover a request goes to the new primary, even if the old primary is back as a standby', async () => {
    expect(await led()).toBe(one.port);
    await one.stop();
    await promote(two);
    // At most one request fails after the failover to the standby, because the connection to the old primary was lost.
    await led().catch(() => undefined);
    expect(await led()).toBe(two.port);
    await one.startAsStandby();
    expect(await led()).toBe(two.port);
  });

  test('no request gets a connection to a database server that became a standby, not even a connection that was idle before', async () => {
    const both = await Promise.all([led(), led()]);
    expect(both).toEqual([one.port, one.port]);
    await promote(two);
    await demote(one);
    try {
      // An idle database session reads the changed configuration of its server only a little later.
      await until(async () => (await Promise.all([follows(), follows()])).every((isSo) => isSo));
      await expect(write()).rejects.toMatchObject({ code: '25006' });
      await write();
      expect(await Promise.all([led(), led(), led()])).toEqual([two.port, two.port, two.port]);
    } finally {
      await demote(one, 'off');
    }
  });

  test('a frozen server in DATABASE_URL delays no request to the primary', async () => {
    await promote(two);
    await one.freeze();
    try {
      expect(await led()).toBe(two.port);
      await write();
    } finally {
      await one.thaw();
    }
  });

  test('if no server of DATABASE_URL accepts writes, the error names the reason for each server, but no password', async () => {
    await one.stop();
    const error = await led().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(DatabaseUnavailable);
    const { message } = (error as Error).cause as Error;
    expect(message).toMatch(new RegExp(`127.0.0.1:${one.port}: (?:Error: )?connect ECONNREFUSED`));
    expect(message).toContain(`127.0.0.1:${two.port}: It takes no writes`);
    expect(message).not.toContain('hunter2');
    await one.start();
  });

  test('a deploy goes to the database server that accepts writes, or reports that no server does', async () => {
    expect(new URL(await findAdminServerUrl(addressOf(two, one))).port).toBe(String(one.port));
    await one.startAsStandby();
    await expect(findAdminServerUrl(addressOf(two, one))).rejects.toThrow(
      /^no connection to the database at DATABASE_ADMIN_URL: None of the servers takes writes/,
    );
  });
});

test('if several connection pools of a process look for the primary, each database server is asked only once', async () => {
  const silent = await startSilentServer('N');
  const port = Number(new URL(silent.url).port);
  const address = addressOf({ port }, one);
  const trackedServers: string[] = [];
  const primary = trackPrimary(address, (server) => trackedServers.push(server));
  const pools = [1, 2, 3].map(() => poolOf(address, primary));
  expect(await Promise.all(pools.map((each) => each.withSession(portOf)))).toEqual([one.port, one.port, one.port]);
  expect(trackedServers).toEqual([`127.0.0.1:${one.port}`]);
  // A Postgres server accepts connections in order, so before the latest connection it has already accepted all earlier
  // ones.
  const last = connect(port, '127.0.0.1');
  last.write('hello');
  await once(last, 'data');
  expect(silent.taken).toBe(2);
  last.destroy();
  for (const each of pools) await each.close();
  silent.close();
});

test('a request to the only server in DATABASE_URL fails until that server accepts writes', async () => {
  const lone = poolOf(addressOf(two));
  await expect(lone.withSession(portOf)).rejects.toThrow(DatabaseUnavailable);
  await promote(two);
  expect(await lone.withSession(portOf)).toBe(two.port);
  await lone.close();
});
