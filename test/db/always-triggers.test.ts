import { expect, test } from '@jest/globals';
import { connected, createTestDatabase } from '../support/database.ts';
import { forSuite } from '../support/suite.ts';

const database = await forSuite(createTestDatabase());
/** A superuser’s session that fires no ordinary trigger, as a session that restores or replicates rows. */
const replica = await forSuite(connected(database.adminUrl, '-c session_replication_role=replica'));
await replica.query(`insert into public.audit_logs (action, resource_type, success, actor, created_at)
  select 'GET /x', 'sites', false, 'counted', now() - n * interval '1 day' from generate_series(0, 3) as n`);
await replica.query('select app.count_audit_days()');
await replica.query(`insert into audit.acceptances (what, object, as_it_stood, reason, accepted_by, accepted_at)
  values ('a', 'b', 'c', 'd', 'somebody', '2000-01-01')`);
await replica.query(`insert into audit.archives (number, month, records, previous_digest, digest, file)
  values (1, '2020-01-01', 1, repeat('0', 64), repeat('0', 64), 'x')`);

test('a trigger fires in every session, also in one that replicates, exactly where its function refuses “even by superusers”', async () => {
  const { rows } = await replica.query(
    `select t.tgrelid::regclass::text as name, t.tgname, t.tgenabled
     from pg_trigger as t
     join pg_class as c on c.oid = t.tgrelid
     where c.relnamespace::regnamespace::text in ('public', 'app', 'reporting', 'audit', 'audit_log')
       and (coalesce(obj_description(t.tgfoid, 'pg_proc'), '') ~ 'even by superusers') <> (t.tgenabled = 'A')`,
  );
  expect(rows).toEqual([]);
});

const { rows: part } = await replica.query<{ name: string }>(
  'select tableoid::regclass::text as name from public.audit_logs order by created_at desc limit 1',
);
test.each([
  ...['public.audit_logs', part[0]?.name ?? '', 'app.audit_days'].flatMap((table) => [
    { table, sql: `update ${table} set ${table === 'app.audit_days' ? 'records = 0' : 'success = true'}` },
    { table, sql: `delete from ${table}` },
    { table, sql: `truncate ${table}` },
  ]),
  ...['audit.acceptances', 'audit.archives'].flatMap((table) => [
    { table, sql: `delete from ${table}` },
    { table, sql: `truncate ${table}` },
  ]),
])(
  'a superuser with session_replication_role = replica cannot change or delete a record of the audit: $sql',
  async ({ table, sql }) => {
    const all = `table ${table}`;
    const before = (await replica.query(all)).rows;
    expect(before.length).toBeGreaterThan(0);
    await expect(replica.query(sql)).rejects.toMatchObject({ code: '42501' });
    expect((await replica.query(all)).rows).toEqual(before);
  },
);

test('a superuser with session_replication_role = replica accepts a finding under the own name and at the present time', async () => {
  const { rows } = await replica.query(
    `update audit.acceptances set reason = 'e', withdrawn_by = 'somebody', withdrawn_at = '2000-01-01'
     returning accepted_by::text, reason, withdrawn_by::text, least(accepted_at, withdrawn_at) > '2020-01-01' as now`,
  );
  expect(rows).toEqual([{ accepted_by: 'postgres', reason: 'd', withdrawn_by: 'postgres', now: true }]);
});
