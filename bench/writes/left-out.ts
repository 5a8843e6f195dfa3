/**
 * Measures what each part of a claim’s change costs, for example a trigger. One transaction makes 300 complete changes,
 * and another one makes 300 changes without the part. The two take turns on one connection, and each is rolled back. The
 * cost of the part is the median of the differences.
 *
 *   npx node bench/writes/left-out.ts
 *   npx node bench/writes/left-out.ts --months 24 --turns 15
 *
 * The costs that a request has only once are not included: its settings, its commit and its round trips.
 */
import { parseArgs } from 'node:util';
import { buildSettingsStatement } from '../../src/db/settings.ts';
import { connected, createTestDatabase } from '../../test/support/database.ts';
import setUp from '../../test/support/global-setup.ts';
import tearDown from '../../test/support/global-teardown.ts';
import { median, table } from '../measure.ts';
import { makePastMonths } from '../months.ts';
import { CLIENT, fill, idOf } from './rows.ts';
import { context } from './side.ts';

const CLAIMS = 4_000;
const RECORDS = 100_000;
const CALLS = 300;

const MORE = `
  begin;
  set local session_replication_role = replica;
  insert into public.reclamations (id, client_id, site_id, claim_type, amount)
  select ('e1000000-0000-4000-8000-' || lpad((200 * n)::text, 12, '0'))::uuid, '${CLIENT}', '${idOf('d1', 1)}', 'TF', n
  from generate_series(101, ${String(CLAIMS)}) as n;
  insert into public.audit_logs (request_id, user_id, actor, action, resource_type, resource_id, client_context, success, ip_address, user_agent)
  select 'bench', md5((n % 50)::text)::uuid, 'idp|' || n % 50, 'PUT /api/reclamations/' || md5(n::text)::uuid, 'reclamations',
      md5(n::text)::uuid, md5((n % 200)::text)::uuid, true, '192.0.2.1', 'bench'
  from generate_series(1, ${String(RECORDS)}) as n;
  commit`;

const calls = (count: number): string => `
  do $$ begin
    for k in 1 .. ${String(count)} loop
      update public.reclamations as r set grounds = k::text
      where r.id = ('e1000000-0000-4000-8000-' || lpad((200 * k)::text, 12, '0'))::uuid;
    end loop;
  end $$`;

const dropIndexes = (of: string, names: readonly string[]): string =>
  names.map((name) => `drop index public.${of}_${name}_idx`).join(';');
const LOG = 'created_at client_context user_id actor action resource_type resource_id refusals'.split(' ');
const CLAIM = 'client_id created_at site_id assignee_id claim_deadline response_due_at court_deadline'.split(' ');
const KEYS = `do $$ declare c record; begin
  for c in select conrelid::regclass as part, conname from pg_constraint where contype = 'p' and connamespace = 'audit_log'::regnamespace
  loop execute format('alter table %s drop constraint %I', c.part, c.conname); end loop; end $$`;
const replaced = (signature: string, from: string, to: string): string => `
  do $do$ declare was constant text := pg_get_functiondef('${signature}'::regprocedure); begin
    if position($f$${from}$f$ in was) = 0 then raise exception 'not found in ${signature}'; end if;
    execute replace(was, $f$${from}$f$, $t$${to}$t$);
  end $do$`;
const NO_LOOK = replaced('app.record_change()', `if tg_op <> 'INSERT' or`, 'if false and');

const LEFT_OUT: Readonly<Record<string, string>> = {
  nothing: 'select',
  ...Object.fromEntries(LOG.map((name) => [`the audit log's index on ${name}`, dropIndexes('audit_logs', [name])])),
  'the primary keys of the monthly partitions': KEYS,
  'the look for a later record': NO_LOOK,
  'the look for a later record, and all indexes of the audit log': `${NO_LOOK};${KEYS};${dropIndexes('audit_logs', LOG)}`,
  'the look for a later record, and the insert into the audit log': `${NO_LOOK};${replaced('app.record_change()', 'insert into public.audit_logs (', 'return touched; insert into public.audit_logs (')}`,
  'the audit record with its trigger': 'drop trigger reclamations_audit_write on public.reclamations',
  updated_at: 'drop trigger reclamations_touch on public.reclamations',
  'the searched text': 'alter table public.reclamations alter column search_text drop expression',
  'the check constraints of claims': `do $$ declare c name; begin
    for c in select conname from pg_constraint where contype = 'c' and conrelid = 'public.reclamations'::regclass
    loop execute format('alter table public.reclamations drop constraint %I', c); end loop; end $$`,
  'the policies of claims': 'alter table public.reclamations disable row level security',
  ...Object.fromEntries(CLAIM.map((name) => [`the index of claims on ${name}`, dropIndexes('reclamations', [name])])),
};

const { values } = parseArgs({
  options: { months: { type: 'string', default: '0' }, turns: { type: 'string', default: '9' } },
});

await setUp();
try {
  const database = await createTestDatabase();
  const admin = await connected(database.adminUrl);
  await makePastMonths(admin, Number(values.months));
  await fill(admin);
  await admin.query(MORE);
  await admin.query('vacuum (analyze)');
  const spent = async (): Promise<number> => {
    const { rows } = await admin.query<{ told: string }>(`select pg_read_file('/proc/self/schedstat') as told`);
    return Number(rows[0]?.told.split(' ', 1)[0]) / 1_000;
  };
  const settings = buildSettingsStatement(context, 60_000);
  const parts = Object.entries(LEFT_OUT);
  const taken = async (statement: string): Promise<number> => {
    await admin.query('begin');
    await admin.query(statement);
    await admin.query(settings.text, [...settings.values]);
    await admin.query(calls(20));
    await admin.query('reset role');
    const before = await spent();
    await admin.query(settings.text, [...settings.values]);
    await admin.query(calls(CALLS));
    await admin.query('reset role');
    const after = await spent();
    await admin.query('rollback');
    return (after - before) / CALLS;
  };
  const whole: number[] = [];
  const saved = parts.map((): number[] => []);
  for (let turn = -1; turn < Number(values.turns); turn++) {
    // The rolled-back changes leave dead rows in the tables of claims and audit records, so both tables are vacuumed.
    await admin.query('vacuum public.reclamations, public.audit_logs');
    for (const [part, [, statement]] of parts.entries()) {
      const all = await taken('select');
      const less = await taken(statement);
      if (turn < 0) continue;
      whole.push(all);
      saved[part]?.push(all - less);
    }
  }
  console.log(
    table(
      ['µs of Postgres', 'a change of a claim'],
      [
        ['the whole', median(whole).toFixed(0)],
        ...parts.map(([name], part) => [name, median(saved[part] ?? []).toFixed(1)]),
      ],
    ),
  );
  await admin.end();
  await database.close();
} finally {
  await tearDown();
}
