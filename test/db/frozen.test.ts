import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { pino } from 'pino';
import { openDatabase } from '../../src/db/database.ts';
import { DatabaseUnavailable } from '../../src/db/errors.ts';
import { startEmbeddedDatabase } from '../../src/demo/postgres/prepare.ts';
import { withAdmin } from '../support/database.ts';
import { createFolder, postmasterPid } from '../support/embedded.ts';
import { freeze } from '../support/freeze.ts';
import { request, sql } from '../support/probe.ts';
import { forSuite } from '../support/suite.ts';
import { until } from '../support/upload.ts';

/* This suite freezes all processes of a Postgres server with SIGSTOP, and continues them later. */

const log = pino({ level: 'silent' });

const folder = await forSuite(createFolder());
const server = await forSuite(startEmbeddedDatabase({ dataDir: folder.path, log }));
const url = new URL(server.apiUrl);
url.username = 'postgres';
url.password = await readFile(server.passwordFile, 'utf8');
const adminUrl = url.href;
const database = await forSuite(
  openDatabase({ ...{ url: server.apiUrl, poolSize: 2, statementTimeoutMs: 500, preparedStatements: true, log } }),
);

test('while a Postgres server is frozen, requests fail; once the server continues, requests succeed and no transaction is stored in part', async () => {
  await withAdmin(adminUrl, (admin) =>
    admin.query('create table public.halves (id integer); grant insert on public.halves to taxclaims_account_manager'),
  );
  const half = (id: number) => sql('insert into public.halves values ($1)', id);
  // The service has two database connections open before Postgres freezes, and the test’s requests during the freeze
  // need more than two.
  await Promise.all([1, 2].map(() => database.run(request(), [sql('select pg_sleep(0.1)')])));
  const thaw = await freeze(await postmasterPid(adminUrl));
  try {
    const work = [
      database.run(request(), [half(1), half(1)]),
      database.transaction(request(), async (run) => {
        await run(half(2));
        await run(half(2));
      }),
      ...Array.from({ length: 20 }, () => database.callAsLogin(sql('select 1'))),
    ];
    for (const ended of await Promise.allSettled(work)) {
      expect(ended).toMatchObject({ status: 'rejected', reason: expect.any(DatabaseUnavailable) as unknown });
    }
  } finally {
    thaw();
  }
  await database.run(request(), [half(3)]);
  // After a frozen Postgres continues and the requests have failed, no database session is allowed to hold a
  // transaction or locks any more.
  const busy = `select from pg_stat_activity where application_name like 'taxclaims-api%' and state <> 'idle'`;
  await until(() => withAdmin(adminUrl, async (admin) => (await admin.query(busy)).rowCount === 0));
  const { rows } = await withAdmin(adminUrl, (admin) =>
    admin.query('select id, count(*)::integer from public.halves group by id order by id'),
  );
  // A transaction that was running when Postgres froze must be stored whole or not at all.
  expect(rows.filter(({ count }) => count !== 2)).toEqual([{ id: 3, count: 1 }]);
});

test('a request fails if no standby server confirms its commit, although Postgres reports success when the wait is cancelled', async () => {
  const standbys = (names: string) =>
    withAdmin(adminUrl, async (admin) => {
      // Commits of the test’s superuser do not wait for the missing standby server, so that the test can go on.
      await admin.query('set synchronous_commit = local');
      await admin.query(`alter system set synchronous_standby_names = '${names}'`);
      await admin.query('select pg_reload_conf()');
    });
  await withAdmin(adminUrl, (admin) =>
    admin.query('create table public.kept (id integer); grant insert on public.kept to taxclaims_account_manager'),
  );
  const keep = (id: number) => sql('insert into public.kept values ($1)', id);
  await standbys('nobody');
  const inForce = `select from pg_settings where name = 'synchronous_standby_names' and setting = 'nobody'`;
  await until(() => withAdmin(adminUrl, async (admin) => (await admin.query(inForce)).rowCount === 1));
  try {
    await expect(database.run(request(), [keep(1)])).rejects.toBeInstanceOf(DatabaseUnavailable);
    const explicit = database.transaction(request(), (run) => run(keep(2)));
    await expect(explicit).rejects.toBeInstanceOf(DatabaseUnavailable);
  } finally {
    await standbys('');
  }
});
