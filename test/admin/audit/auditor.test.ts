import { describe, expect, test } from '@jest/globals';
import type pg from 'pg';
import { attempt } from '../../policies/session.ts';
import { idOf } from '../../policies/fixture.ts';
import { TABLES } from '../../policies/rights.ts';
import { forSuite } from '../../support/suite.ts';
import { openAuditedWorld } from './auditor.ts';

const world = await forSuite(openAuditedWorld());

describe('the rights of an auditor', () => {
  test.each(TABLES.filter((table) => table !== 'audit_logs'))('an auditor cannot read table %s', async (table) => {
    const sql = `select 1 from public.${table}`;
    expect(await attempt(world.auditor, { sql })).toBe('denied');
    expect(await attempt(world.admin, { sql })).toBe('done');
  });

  test('an auditor cannot become another role of the service, run the service’s functions or create a table', async () => {
    for (const role of ['owner', 'definer', 'api', 'admin', 'client', 'reporting']) {
      expect([role, await attempt(world.auditor, { sql: `set role taxclaims_${role}` })]).toEqual([role, 'denied']);
    }
    expect(await attempt(world.auditor, { sql: `select app.locate('clients', '${idOf('a', 'clients')}')` })).toBe(
      'denied',
    );
    expect(await attempt(world.auditor, { sql: 'create temp table own (id integer)' })).toBe('denied');
  });

  test.each(['matrix', 'findings', 'drift', 'denials', 'exceptions', 'policies', 'rights', 'logins'])(
    'an auditor reads the same rows of audit.%s as a superuser',
    async (view) => {
      // Other test suites create logins on the same Postgres server. The superuser and the auditor read the view in one
      // snapshot, so that both see the same logins.
      const all = `select v::text as line from audit.${view} as v order by 1`;
      const begin = 'begin transaction isolation level repeatable read';
      await world.admin.query(begin);
      const { rows: snapshots } = await world.admin.query<{ id: string }>('select pg_export_snapshot() as id');
      await world.auditor.query(begin);
      await world.auditor.query(`set transaction snapshot '${snapshots[0]?.id}'`);
      const { rows } = await world.auditor.query(all);
      expect(rows).toEqual((await world.admin.query(all)).rows);
      await world.auditor.query('commit');
      await world.admin.query('commit');
    },
  );

  test('the view audit.changes shows a superuser the role and clients that a new user got, and an auditor nothing', async () => {
    const created = `select field, old, new from audit.changes
      where resource_type = 'users' and resource_id = '${idOf('a', 'users')}' order by field`;
    expect((await world.admin.query(created)).rows).toEqual([
      { field: 'client_access', old: [], new: [idOf('a', 'clients')] },
      { field: 'is_active', old: null, new: true },
      { field: 'role', old: null, new: 'TAX_SPECIALIST' },
    ]);
    expect((await world.auditor.query('select * from audit.changes')).rows).toEqual([]);
  });

  test('an auditor reads in the view audit.denials which requests the service refused, no request that succeeded, and cannot read the audit log itself', async () => {
    const { rows } = await world.auditor.query(`select actor, action, client_id, reason from audit.denials`);
    expect(rows).toEqual(
      expect.arrayContaining([
        { actor: 'subject-a', action: 'GET /x', client_id: idOf('a', 'clients'), reason: null },
        { actor: 'subject-b', action: 'GET /x', client_id: idOf('b', 'clients'), reason: null },
      ]),
    );
    expect(rows).not.toContainEqual(expect.objectContaining({ actor: 'fixture' }));
    expect(rows).not.toContainEqual(expect.objectContaining({ action: 'INSERT' }));
    const log = 'select count(*)::integer as count from public.audit_logs where success';
    const succeeded = 'select 1 from audit.denials as d join public.audit_logs as l using (request_id) where l.success';
    // An auditor has no right to use the schema public. The view audit.denials is the only way for an auditor to read
    // audit records.
    await expect(world.auditor.query(log)).rejects.toThrow(/permission denied/);
    await expect(world.auditor.query(succeeded)).rejects.toThrow(/permission denied/);
    expect((await world.admin.query(log)).rows).not.toEqual([{ count: 0 }]);
  });

  test('the view audit.denials shows the email of a user whose request was refused, if the database has this user, and no other email', async () => {
    await world.admin.query(
      `insert into public.audit_logs (actor, user_id, action, resource_type, success) values
         ('subject-a', null, 'GET /email', 'x', false), ('renamed', $1, 'GET /email', 'x', false),
         ('stranger', null, 'GET /email', 'x', false)`,
      [idOf('b', 'users')],
    );
    const { rows } = await world.auditor.query(
      `select actor, email from audit.denials where action = 'GET /email' order by actor`,
    );
    expect(rows).toEqual([
      { actor: 'renamed', email: 'b@users.example.org' },
      { actor: 'stranger', email: null },
      { actor: 'subject-a', email: 'a@users.example.org' },
    ]);
    await expect(world.auditor.query(`select app.email_of(null, 'subject-b')`)).rejects.toThrow(
      'permission denied for schema app',
    );
  });

  test('the function audit.who_can_see lists who sees a client, or says that the client does not exist', async () => {
    const said = async (client: string): Promise<unknown[]> => {
      const { rows } = await world.auditor.query<{ name: string; reason: string }>(
        `select name, reason from audit.who_can_see($1) where kind = 'client'`,
        [client],
      );
      return rows;
    };
    const nobody = '00000000-0000-4000-8000-000000000000';
    expect(await said(nobody)).toEqual([{ name: nobody, reason: 'unknown: there is no client of this id' }]);
    expect(await said(idOf('a', 'clients'))).toEqual([]);
  });

  test('an auditor reads how many changes of rights the identity provider has not received yet, but not whose rights changed', async () => {
    const findingsFor = async (viewer: pg.Client): Promise<unknown[]> => {
      const { rows } = await viewer.query<Record<string, unknown>>(
        `select object, detail, remedy from audit.findings where finding = 'identity_change_undelivered'`,
      );
      return rows;
    };
    expect(await findingsFor(world.auditor)).toEqual([]);
    const users = [idOf('a', 'users'), idOf('b', 'users')];
    await world.admin.query(
      `insert into public.identity_changes (user_id, actor, role, client_access, is_active, ends_tokens, created_at)
       select u.id, u.subject, u.role, u.client_access, u.is_active, false, now() - age
       from public.users as u, unnest(array['80 hours', '25 hours', '23 hours']::interval[]) as age
       where u.id = any ($1)`,
      [users],
    );
    try {
      const found = await findingsFor(world.auditor);
      expect(found).toEqual([
        {
          object: 'public.identity_changes',
          detail: 'changes of rights not delivered to the identity provider for a day: 4; days since the oldest: 3',
          remedy: expect.stringContaining('GET /api/identity-changes'),
        },
      ]);
      const { rows } = await world.admin.query<{ id: string; subject: string; email: string }>(
        'select id, subject, email from public.users where id = any ($1)',
        [users],
      );
      expect(rows).toHaveLength(2);
      for (const secret of rows.flatMap((row) => Object.values(row)))
        expect(JSON.stringify(found)).not.toContain(secret);
      // The superuser must read the same row of audit.findings as the auditor, although no row-level security policy
      // applies to a superuser.
      expect(found).toEqual(await findingsFor(world.admin));
    } finally {
      await world.admin.query('delete from public.identity_changes where user_id = any ($1)', [users]);
    }
  });

  test('the function audit.who_can_see lists every user and every login that can see a client, each with the reason', async () => {
    const { rows } = await world.auditor.query('select * from audit.who_can_see($1)', [idOf('a', 'clients')]);
    expect(rows).toEqual(
      expect.arrayContaining([
        {
          kind: 'user',
          name: 'a@users.example.org',
          as_role: 'taxclaims_tax_specialist',
          reason: 'client_access lists the client',
        },
        {
          kind: 'reporting login',
          name: world.reporting.user,
          as_role: 'taxclaims_reporting',
          reason: expect.stringMatching(/^granted by /),
        },
        expect.objectContaining({ kind: 'database role', name: 'taxclaims_admin' }),
        expect.objectContaining({ kind: 'database login', name: world.api.user, as_role: 'taxclaims_api' }),
        expect.objectContaining({ kind: 'database login', as_role: 'superuser' }),
      ]),
    );
    const names = rows.map(({ name }: { name: string }) => name);
    expect(names).not.toContain('b@users.example.org');
    expect(names).not.toContain('taxclaims_owner');
  });

  test('the function audit.who_can_see lists neither inactive users nor logins whose grant was revoked', async () => {
    const client = idOf('b', 'clients');
    const names = async (): Promise<string[]> =>
      (await world.auditor.query<{ name: string }>('select name from audit.who_can_see($1)', [client])).rows.map(
        ({ name }) => name,
      );
    expect(await names()).toContain('b@users.example.org');
    expect(await names()).not.toContain(world.reporting.user);
    await world.admin.query(`update public.users set is_active = false where id = $1`, [idOf('b', 'users')]);
    expect(await names()).not.toContain('b@users.example.org');
  });

  test('the function audit.who_can_see lists an ADMIN without a client list for every client', async () => {
    await world.admin.query(
      `insert into public.users (email, password_hash, name, role) values ('all@example.org', '!', 'All', 'ADMIN')`,
    );
    const { rows } = await world.auditor.query(
      `select as_role, reason from audit.who_can_see(gen_random_uuid()) where kind = 'user'`,
    );
    expect(rows).toEqual([
      { as_role: 'taxclaims_admin', reason: 'an ADMIN whose client_access is empty sees every client' },
    ]);
  });

  test('the function audit.who_can_see lists an ADMIN with a client list under the database role taxclaims_scoped_admin', async () => {
    await world.admin.query(
      `insert into public.users (email, password_hash, name, role, client_access)
       values ('listed@example.org', '!', 'Listed', 'ADMIN', array[$1::uuid])`,
      [idOf('a', 'clients')],
    );
    const { rows } = await world.auditor.query(
      `select as_role from audit.who_can_see($1) where name = 'listed@example.org'`,
      [idOf('a', 'clients')],
    );
    expect(rows).toEqual([{ as_role: 'taxclaims_scoped_admin' }]);
  });
});
