import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type pg from 'pg';
import { pino } from 'pino';
import { migrate } from '../../src/db/deploy/migrate.ts';
import { findingsBeside } from '../support/durability.ts';
import type { Found } from '../support/durability.ts';
import type { TestDatabase } from '../support/database.ts';
import { openAsSuperuser } from './superuser.ts';

const DRIFT = 'select kind, change, object from audit.drift';

describe('audit.drift', () => {
  let database: TestDatabase;
  let admin: pg.Client;
  let close: () => Promise<void>;

  beforeAll(async () => {
    ({ database, admin, close } = await openAsSuperuser());
  });

  afterAll(() => close());

  test('is empty in a database as it was migrated, and does not depend on the search path of whoever asks', async () => {
    expect((await admin.query(DRIFT)).rows).toEqual([]);
    await admin.query('begin; set local search_path = app, audit, reporting');
    expect((await admin.query(DRIFT)).rows).toEqual([]);
    await admin.query('rollback');
  });

  test.each([
    [
      'a move that a client may make',
      `insert into public.reclamation_transitions (from_status, to_status, role) values ('DRAFT', 'APPROVED', 'CLIENT')`,
      'row',
      'added',
    ],
    [
      'a move that nobody may make',
      `delete from public.invoice_transitions where role = 'ADMIN' and to_status = 'PAID' and table_name = 'factures'`,
      'row',
      'removed',
    ],
    [
      'a move that needs less',
      `update public.reclamation_transitions set requires = '{grounds}' where from_status = 'DRAFT' and to_status = 'WITHDRAWN' and role = 'ADMIN'`,
      'row',
      'changed',
    ],
    [
      'a guard of the last administrator without its row',
      'delete from app.administrator_guard',
      'row',
      'removed',
    ],
    ['a dropped policy', 'drop policy sites_select_tenant on public.sites', 'policy', 'removed'],
    ['an added policy', 'create policy added on public.sites using (false)', 'policy', 'added'],
    [
      'a loosened policy',
      'alter policy sites_select_tenant on public.sites using (true)',
      'policy',
      'changed',
    ],
    ['a widened policy', 'alter policy sites_select_tenant on public.sites to public', 'policy', 'changed'],
    ['a new grant on a table', 'grant delete on public.sites to taxclaims_client', 'grant', 'changed'],
    ['a revoked grant', 'revoke select on public.sites from taxclaims_client', 'grant', 'removed'],
    ['a new grant on a column', 'grant update (id) on public.sites to taxclaims_admin', 'grant', 'changed'],
    [
      'a grant with grant option',
      'grant select on public.sites to taxclaims_client with grant option',
      'grant',
      'changed',
    ],
    ['a grant on a function', 'grant execute on function app.role() to public', 'grant', 'added'],
    ['a grant on a schema', 'grant usage on schema app to taxclaims_reporting', 'grant', 'added'],
    ['another owner', 'alter table public.sites owner to taxclaims_definer', 'table', 'changed'],
    ['row-level security off', 'alter table public.sites disable row level security', 'table', 'changed'],
    [
      'row-level security not forced',
      'alter table public.sites no force row level security',
      'table',
      'changed',
    ],
    ['another membership', 'grant taxclaims_admin to taxclaims_client', 'membership', 'added'],
    ['a role that may log in', 'alter role taxclaims_client login', 'role', 'changed'],
    ['a function without its path', 'alter function app.role() reset search_path', 'function', 'changed'],
    [
      'a view that reads as its owner',
      'alter view audit.denials reset (security_invoker)',
      'view',
      'changed',
    ],
    ['a disabled trigger', 'alter table public.audit_logs disable trigger all', 'trigger', 'changed'],
    [
      'another function body',
      `create or replace function app.role() returns text language sql stable set search_path = '' return 'ADMIN'`,
      'function body',
      'changed',
    ],
    [
      'privileges by default',
      'alter default privileges for role taxclaims_owner grant select on tables to public',
      'default privileges',
      'added',
    ],
  ])('shows a DBA %s', async (_what, change, kind, how) => {
    await admin.query('begin');
    try {
      await admin.query(change);
      const { rows } = await admin.query<{ kind: string; change: string }>(DRIFT);
      expect(rows).toContainEqual(expect.objectContaining({ kind, change: how }));
    } finally {
      await admin.query('rollback');
    }
  });

  test('a login that a deployment makes is no drift', async () => {
    await admin.query('begin; create role test_login login in role taxclaims_api');
    expect((await admin.query(DRIFT)).rows).toEqual([]);
    await admin.query('rollback');
  });

  test('db:migrate takes back what was changed by hand, and drift is empty again', async () => {
    await admin.query(`
      create policy added on public.sites to taxclaims_client using (true);
      grant update on public.sites to taxclaims_client;
      grant execute on function audit.as_admin(regclass, text, uuid, uuid[], uuid) to taxclaims_reporting`);
    expect((await admin.query(DRIFT)).rows).toHaveLength(3);
    await migrate({ adminUrl: database.adminUrl, log: pino({ level: 'silent' }) });
    expect((await admin.query(DRIFT)).rows).toEqual([]);
    const { rows } = await admin.query<Found>('select * from audit.findings');
    expect(await findingsBeside(admin, rows)).toEqual([]);
  });

  test('a deploy blesses nothing: what it does not take back is drift after it', async () => {
    const changes = `
      create unique index by_hand on public.sites (id, site_name);
      create function public.watch() returns event_trigger language plpgsql as $$ begin end $$;
      create event trigger by_hand on sql_drop execute function public.watch()`;
    await admin.query(changes);
    await migrate({ adminUrl: database.adminUrl, log: pino({ level: 'silent' }) });
    const { rows } = await admin.query(`${DRIFT} where object = any (array['public.by_hand', 'by_hand'])`);
    await admin.query('drop event trigger by_hand; drop function public.watch(); drop index public.by_hand');
    expect(rows).toEqual(
      expect.arrayContaining([
        { kind: 'index', change: 'added', object: 'public.by_hand' },
        // Of the surroundings, which the repository cannot know, the first deploy took what there was.
        { kind: 'event trigger', change: 'added', object: 'by_hand' },
      ]),
    );
    expect((await admin.query(DRIFT)).rows).toEqual([]);
  });

  test('nobody but the owner writes down what was applied', async () => {
    await admin.query('begin; set local role taxclaims_auditor');
    await expect(admin.query('delete from audit.applied')).rejects.toThrow(/permission denied/);
    await admin.query('rollback');
  });
});
