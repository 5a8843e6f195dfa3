import { afterEach, expect, test } from '@jest/globals';
import { AUDIT_LOCK_TIMEOUT_MS } from '../../../src/limits.ts';
import { forSuite } from '../../support/suite.ts';
import { openAuditedWorld } from './auditor.ts';
import { audit } from '../command.ts';

/*
 * A lock that nobody releases keeps single findings from being read. These tests read the audit as an auditor behind
 * such a lock of a prepared transaction, which has no session that could end.
 */

const world = await forSuite(openAuditedWorld());
const { admin, auditor, auditorUrl, name } = world;

const readFindings = async (): Promise<readonly { finding: string; object: string; detail: string }[]> =>
  (
    await auditor.query<{ finding: string; object: string; detail: string }>(
      'select finding, object, detail from audit.findings',
    )
  ).rows;

/** Locks a table in a prepared transaction with the name of the test's database. */
async function lock(table: string): Promise<void> {
  await admin.query(`begin; lock table ${table} in access exclusive mode; prepare transaction '${name}'`);
}

afterEach(async () => {
  const { rowCount } = await admin.query('select from pg_prepared_xacts where gid = $1', [name]);
  if (rowCount !== 0) await admin.query(`rollback prepared '${name}'`);
  await admin.query('alter table public.sites force row level security');
  await admin.query(`alter database ${name} reset row_security`);
});

test.each([
  { table: 'public.notes', unread: 'impossible_row' },
  { table: 'reporting.grants', unread: 'reporting_objection' },
  { table: 'audit.acceptances', unread: 'acceptances' },
  { table: 'pg_catalog.pg_policy', unread: 'policy_constant_true' },
])(
  'while $table is locked, an auditor reads who holds the lock, what was not checked, and all other findings',
  async ({ table, unread }) => {
    await admin.query('alter table public.sites no force row level security');
    await lock(table);
    const found = await readFindings();
    const [one, ...more] = found.filter(({ finding }) => finding === 'not_asked');
    expect(more).toEqual([]);
    expect(one?.object.split(', ')).toContain(unread);
    expect(one?.detail).toContain(`the prepared transaction "${name}" (of postgres), since 20`);
    expect(one?.detail).toContain(`holds AccessExclusiveLock on ${table.replace('pg_catalog.', '')}`);
    expect(found).toContainEqual(expect.objectContaining({ finding: 'rls_not_forced', object: 'public.sites' }));
    await admin.query(`rollback prepared '${name}'`);
    expect((await readFindings()).filter(({ finding }) => finding === 'not_asked')).toEqual([]);
  },
);

test.each(['public.notes', 'app.administrator_guard', 'audit.acceptances'])(
  'while %s is locked, db:audit prints who holds the lock and what was not checked, and exits with 1',
  async (table) => {
    await lock(table);
    const { code, out } = await audit(auditorUrl);
    expect(code).toBe(1);
    expect(out).toContain(`the prepared transaction "${name}" (of postgres), since 20`);
    expect(out).toMatch(/^ {2}ERROR not_asked: /m);
    expect(out.includes('ERROR not_asked: audit.drift')).toBe(out.includes('Drift was not read.'));
    expect(out).toContain('durability_off');
  },
);

test.each([
  { view: 'audit.drift', table: 'app.administrator_guard' },
  { view: 'audit.drift', table: 'audit.acceptances' },
  { view: 'audit.accepted', table: 'audit.acceptances' },
])(
  'an auditor who reads $view in psql behind a lock on $table gets an error that names who holds the lock',
  async ({ view, table }) => {
    await lock(table);
    // A view that waits without end ends here with another message.
    await auditor.query("set statement_timeout = '30s'");
    await expect(auditor.query(`table ${view}`)).rejects.toMatchObject({
      code: '55P03',
      message: expect.stringMatching(
        new RegExp(
          `^${view} was not read, because somebody holds a lock: the prepared transaction "${name}" \\(of postgres\\), since 20.*holds AccessExclusiveLock on ${table}$`,
        ),
      ),
    });
    await admin.query(`rollback prepared '${name}'`);
    await auditor.query(`table ${view}`);
    await auditor.query('reset statement_timeout');
  },
);

test('a reader of audit.findings, audit.drift and audit.accepted waits for a lock as long as src/limits.ts says', async () => {
  const { rows } = await admin.query<{ ms: number }>(
    `select distinct extract(epoch from substr(setting, 14)::interval)::integer * 1000 as ms
     from pg_proc, unnest(proconfig) as setting
     where pronamespace = 'audit'::regnamespace and starts_with(proname, 'list_')
         and starts_with(setting, 'lock_timeout=')`,
  );
  expect(rows).toEqual([{ ms: AUDIT_LOCK_TIMEOUT_MS }]);
});

test('where a database starts its sessions with row_security = off, an auditor reads a finding about it and drift, and db:audit reads all the rest', async () => {
  await admin.query(`alter database ${name} set row_security = off`);
  await auditor.query('set row_security = off');
  const found = await readFindings();
  for (const view of ['audit.drift', 'audit.accepted']) await auditor.query(`select from ${view}`);
  await auditor.query('reset row_security');
  expect(found.filter(({ finding }) => finding === 'not_asked')).toEqual([]);
  expect(found).toContainEqual(
    expect.objectContaining({ finding: 'setting_stored', detail: 'starts with row_security=off' }),
  );
  const { code, out, err } = await audit(auditorUrl);
  expect([code, err]).toEqual([1, '']);
  expect(out).toContain('starts with row_security=off');
  expect(out).not.toContain('not_asked');
});
