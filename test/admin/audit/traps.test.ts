import { describe, expect, test } from '@jest/globals';
import { idOf, statementFor } from '../../policies/fixture.ts';
import { REPORTING_VIEWS } from '../../policies/rights.ts';
import { OWN } from '../../policies/row-checks.ts';
import { attempt } from '../../policies/session.ts';
import { forSuite } from '../../support/suite.ts';
import { openAuditedWorld } from './auditor.ts';

const world = await forSuite(openAuditedWorld());

/** Tests the pitfalls of row-level security in the list of db/README.md, as far as no other suite tests them. */
describe('the pitfalls of row-level security', () => {
  const manager = { role: 'account_manager', clientAccess: OWN };

  test('an error about a duplicate key can tell a caller only which ids and document paths other clients have', async () => {
    const { rows } = await world.admin.query(
      `select distinct c.relname || ' (' || k.columns || ')' as key
       from pg_index as i
       join pg_class as c on c.oid = i.indrelid
       join audit.house_tables as t on t.oid = c.oid
       cross join lateral (
           select string_agg(a.attname, ', ' order by a.attnum) as columns,
               bool_or(a.attname in ('client_id', 'site_id', 'reclamation_id')) as owned,
               bool_and(has_column_privilege('taxclaims_account_manager', c.oid, a.attnum, 'INSERT, UPDATE')) as written
           from pg_attribute as a
           where a.attrelid = c.oid and a.attnum = any (i.indkey)
       ) as k
       where i.indisunique and k.written and not k.owned and k.columns <> 'id'
       order by 1`,
    );
    expect(rows).toEqual([{ key: 'documents (file_path)' }]);
  });

  test('an account manager can create a client and read it back only if the client is in the account manager’s list', async () => {
    const insert = (id: string): string =>
      `insert into public.clients (id, company_name, contact_email) values ('${id}', 'x', 'x@x') returning id`;
    expect(await attempt(world.api, { ...manager, sql: insert(idOf('a', 'new')) })).toBe('done');
    expect(await attempt(world.api, { ...manager, sql: insert(idOf('b', 'new')) })).toBe('refused');
  });

  test('an account manager’s INSERT … ON CONFLICT DO UPDATE cannot change a foreign client’s site', async () => {
    const upsert = (firm: 'a' | 'b'): string =>
      `insert into public.sites (id, client_id, site_name) values ('${idOf(firm, 'sites')}', '${idOf('a', 'clients')}', 'x')
       on conflict (id) do update set site_name = 'taken'`;
    expect(await attempt(world.api, { ...manager, sql: upsert('b') })).toBe('refused');
    expect(await attempt(world.api, { ...manager, sql: upsert('a') })).toBe('done');
  });

  test('SELECT … FOR UPDATE returns only rows that the caller has the right to update', async () => {
    const read = `${statementFor('sites', 'r', 'a')} for update`;
    expect(await attempt(world.api, { role: 'client', clientAccess: OWN, sql: read })).toBe('denied');
    expect(await attempt(world.api, { ...manager, sql: read })).toBe('done');
    const foreign = `${statementFor('sites', 'r', 'b')} for update`;
    expect(await attempt(world.api, { ...manager, sql: foreign })).toBe('nothing');
  });

  test('if a reporting login switches row-level security off, its queries get an error and no row', async () => {
    for (const { view } of Object.values(REPORTING_VIEWS)) {
      const sql = `set local row_security = off; select 1 from reporting.${view}`;
      expect([view, await attempt(world.reporting, { sql })]).toEqual([view, 'refused']);
    }
  });

  test('the API cannot COPY rows into a table', async () => {
    const sql = `copy public.sites (client_id, site_name) from stdin`;
    // Postgres refuses COPY FROM for every table with row-level security, with the SQLSTATE 0A000
    // (feature_not_supported).
    expect(await attempt(world.api, { ...manager, sql })).toBe('0A000');
  });

  test('the view audit.findings reports a partitioned table and a partition without row-level security', async () => {
    await world.admin.query(`begin; set local role taxclaims_owner;
      create table public.parted (client_id uuid) partition by list (client_id);
      create table public.part partition of public.parted default;
      reset role`);
    const { rows } = await world.admin.query(
      `select object from audit.findings where finding = 'rls_disabled' order by 1`,
    );
    await world.admin.query('rollback');
    expect(rows).toEqual([{ object: 'public.part' }, { object: 'public.parted' }]);
  });
});
