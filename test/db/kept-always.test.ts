import { expect, test } from '@jest/globals';
import { connected, createTestDatabase } from '../support/database.ts';
import { forSuite } from '../support/suite.ts';

const database = await forSuite(createTestDatabase());
const admin = await forSuite(connected(database.adminUrl, '-c session_replication_role=replica'));
await admin.query(`insert into public.audit_logs (action, resource_type, success, actor, created_at)
  select 'GET /x', 'sites', false, 'counted', now() - n * interval '1 day' from generate_series(1, 3) as n;
  select app.count_audit_days();
  select audit.accept_any('tried');
  insert into audit.archives (month, first_at, last_at, records, digest) values ('2020-01-01', '2020-01-01', '2020-01-02', 1, repeat('0', 64))`.replace(/select audit.accept_any.*\n/, ''));

test('a trigger fires for every session, also one that replicates, exactly where its function promises to refuse a superuser', async () => {
  const { rows } = await admin.query(
    `select distinct t.tgrelid::regclass::text as name, t.tgenabled as fires
     from pg_trigger as t
     join pg_class as c on c.oid = t.tgrelid
     join pg_namespace as n on n.oid = c.relnamespace and n.nspname in ('public', 'app', 'reporting', 'audit', 'audit_log')
     where (obj_description(t.tgfoid, 'pg_proc') ~ 'even by superusers') <> (t.tgenabled = 'A')`,
  );
  expect(rows).toEqual([]);
});
