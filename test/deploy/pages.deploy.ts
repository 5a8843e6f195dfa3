import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { createLabFolder } from '../../deploy/lab/reaper.ts';
import { startPostgres } from '../../deploy/lab/postgres.ts';
import { findFreePort } from '../../src/demo/postgres/free-port.ts';
import { withAdmin } from '../support/database.ts';
import { blockOf } from '../support/pages.ts';
import { shell } from '../support/shell.ts';
import { forSuite } from '../support/suite.ts';

/*
 * The tests run the shell commands in the pages of db/ and docs/ that need Postgres programs, in the order in which a
 * firm would run them.
 */

const lab = await forSuite(createLabFolder());
const [first, second] = [await serverIn('first'), await serverIn('second')];

/** Starts a Postgres server, and returns its address in the forms that the documentation uses. */
async function serverIn(name: string) {
  const postgres = await startPostgres({ dir: join(lab.path, name) });
  await withAdmin(postgres.url('postgres'), (admin) => admin.query(`alter role postgres password 'hunter2'`));
  const { hostname, port, host } = new URL(postgres.url('postgres'));
  const login = { PGUSER: 'postgres', PGPASSWORD: 'hunter2', PGDATABASE: 'taxclaims' };
  return { host, superuser: `postgres:hunter2@${host}`, env: { PGHOST: hostname, PGPORT: port, ...login } };
}

test('the commands of docs/operate.md start a service whose /health answers 200', async () => {
  const code = blockOf('docs/operate.md', 'psql postgres://admin@', {
    'admin@db.example': first.superuser,
    'db.example': first.host,
    '…': 'hunter2',
    // The server of the test is on this machine and has no certificate.
    'sslmode=verify-full': 'sslmode=disable',
  });
  const env = { ...first.env, DATA_DIR: join(lab.path, 'data'), PORT: String(await findFreePort(0)) };
  const health = `
    for ((i = 0; i < 300; i++)); do curl --fail http://127.0.0.1:$PORT/health && break; sleep 0.1; done
    kill %1; wait %1 || true`;
  expect((await shell(`${code.trimEnd()} >/dev/null &${health}`, env)).trim()).toMatch(/\n200$/);
});

test('an analyst connects to the database as docs/analyst.md says, with a login that a DBA has created', async () => {
  const login = blockOf('db/README.md', 'create role bi_acme');
  const connect = blockOf('docs/analyst.md', 'psql postgres://', { 'db.example': first.host });
  const sql = blockOf('docs/analyst.md', 'select company_name');
  await shell(`psql --file=db/demonstration/data.sql; psql <<'SQL'\n${login}SQL`, first.env);
  const read = await shell(`${connect.trimEnd()} <<'SQL'\n${sql}SQL`, { PGPASSWORD: '…' });
  expect(read.match(/^\(\d+ rows?\)$/gm)).toHaveLength(4);
  // The test revokes the login’s access to clients, because the audit of the database schema would report the access
  // after a restore on a server without this login.
  const revoke = `select reporting.revoke_client(login, client_id) from reporting.granted where login = 'bi_acme'`;
  await shell(`psql --command="${revoke}"`, first.env);
});

test('after the dump and restore of db/README.md the views of schema audit report no finding', async () => {
  const files = {
    'roles.sql': join(lab.path, 'roles.sql'),
    'taxclaims.dump': join(lab.path, 'taxclaims.dump'),
  };
  await shell(blockOf('db/README.md', 'pg_dumpall --roles-only', files), first.env);
  const restore = blockOf('db/README.md', 'psql --dbname=postgres --file=roles.sql', {
    ...files,
    'postgres@…': second.superuser,
  });
  expect(await shell(restore, second.env)).toContain('No drift');
  const [then, now] = await Promise.all(
    [first, second].map(({ env }) => shell('psql --command="table public.sites"', env)),
  );
  expect(now).toMatch(/\(\d rows\)/);
  expect(now).toBe(then);
});
