import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { accountOfPostgres, makeFolderFor } from '../../deploy/lab/account.ts';
import { createLabFolder } from '../../deploy/lab/reaper.ts';
import { migrate } from '../../src/admin/deploy/migrate.ts';
import { findFreePort } from '../../src/demo/postgres/free-port.ts';
import { asDatabase, withAdmin } from '../support/database.ts';
import { blockOf } from '../support/pages.ts';
import { shell } from '../support/shell.ts';
import { forSuite } from '../support/suite.ts';
import { until } from '../support/upload.ts';

/* The test runs the pgBackRest recipe of db/README.md with Debian’s commands, on Postgres clusters in lab folders. */

const PAGE = 'db/README.md';
const LOGIN = { name: 'page_api', password: 'hunter2' };

const lab = await forSuite(createLabFolder());
const account = await accountOfPostgres();
const [port, other] = [await findFreePort(0), await findFreePort(0)];
const inLab = (name: string): string => join(lab.path, name);
for (const name of ['conf', 'clusters', 'repository', 'log', 'lock']) await makeFolderFor(account, inLab(name));

const folders = { '/var/lib/postgresql': inLab('clusters') };
await writeFile(
  inLab('pgbackrest.conf'),
  blockOf(PAGE, '# /etc/pgbackrest.conf', { ...folders, '/var/lib/pgbackrest': inLab('repository') }),
);
await writeFile(inLab('createcluster.conf'), `data_directory = '${inLab('clusters')}/%v/%c'\n`);
const backrest = {
  PGBACKREST_CONFIG: inLab('pgbackrest.conf'),
  PGBACKREST_LOG_PATH: inLab('log'),
  PGBACKREST_LOCK_PATH: inLab('lock'),
};
const env = {
  ...backrest,
  PG_CLUSTER_CONF_ROOT: inLab('conf'),
  PGPORT: String(port),
  PGBACKREST_PG1_PORT: String(port),
};
const created = { pg_createcluster: `pg_createcluster --createclusterconf=${inLab('createcluster.conf')}` };
const asPostgres = (code: string): Promise<string> => shell(code, env, account);
const urlOf = (at: number, login = { name: 'postgres', password: 'hunter2' }): string =>
  asDatabase(`postgres://127.0.0.1:${at}`, 'taxclaims', login);

afterAll(async () => {
  for (const name of ['main', 'restored']) await asPostgres(`pg_dropcluster --stop 15 ${name}`).catch(() => undefined);
});

test('the pgBackRest commands of db/README.md make backups, and restore the database of a chosen moment on another server', async () => {
  await asPostgres(`${created.pg_createcluster} --port=${port} 15 main`);
  const variables = Object.entries(backrest).map(([name, value]) => `${name} = '${value}'\n`);
  await writeFile(inLab('conf/15/main/environment'), variables.join(''));
  await asPostgres(`pg_ctlcluster 15 main start
    psql --command="alter role postgres password 'hunter2'" --command='create database taxclaims'`);
  await migrate({ adminUrl: urlOf(port), log: pino({ level: 'silent' }) });
  const login = `create role ${LOGIN.name} login password '${LOGIN.password}' in role taxclaims_api`;
  await withAdmin(urlOf(port), (admin) => admin.query(login));

  const code = blockOf(PAGE, 'psql --command="alter system set archive_mode');
  const backups = code.indexOf('pgbackrest --stanza=taxclaims stanza-create');
  await asPostgres(`${code.slice(0, backups)}pg_ctlcluster 15 main restart`);
  expect(await asPostgres(code.slice(backups))).toMatch(/full backup.*incr backup/s);

  const clients = (at: number): Promise<unknown[]> =>
    withAdmin(urlOf(at), async (admin) => (await admin.query<object>('select company_name from public.clients')).rows);
  const moment = await withAdmin(urlOf(port), async (admin) => {
    await admin.query(`insert into public.clients (company_name, contact_email) values ('Before', 'a@b.example')`);
    const { rows } = await admin.query<{ now: string }>('select clock_timestamp()::text as now');
    await admin.query(`insert into public.clients (company_name, contact_email) values ('After', 'a@b.example')`);
    return rows[0]?.now ?? '';
  });
  const [restore = '', ...checks] = blockOf(PAGE, "psql --command='select pg_switch_wal()'", {
    ...{ ...folders, ...created, '2026-11-22 14:30:00+01': moment, 'port=5433': `port=${other}` },
    // Debian’s pg_ctlcluster gets the environment variables that name the test’s pgBackRest configuration, because that
    // configuration is not under /etc.
    'pg_ctlcluster 15 restored': `cp ${inLab('conf/15')}/{main,restored}/environment && pg_ctlcluster 15 restored`,
    'postgres://postgres@…:5433/taxclaims': urlOf(other),
    'postgres://…:5433/taxclaims': urlOf(other, LOGIN),
  }).split(/^(?=DATABASE_)/m);
  await asPostgres(restore);
  const isReady = `psql --port=${other} --tuples-only --no-align --command='select pg_is_in_recovery()'`;
  await until(async () => (await asPostgres(isReady)).trim() === 'f');
  await mkdir(inLab('documents/.partial'), { recursive: true });
  expect(await shell(checks.join(''), { DOCUMENT_STORE: inLab('documents') })).toContain('No drift');
  expect(await clients(other)).toEqual([{ company_name: 'Before' }]);
  expect(await clients(port)).toHaveLength(2);
});
