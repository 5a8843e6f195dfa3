/**
 * Measures what reads of the audit log cost Postgres with a million records over 24 monthly partitions, compared with
 * an earlier revision of `db/` that has the audit log in one table. Both databases are on one server, and the same SQL
 * statements run on them in turns.
 *
 *   npx node bench/audit-log.ts 1ec6c11
 *   npx node bench/audit-log.ts 1ec6c11 --records 200000 --rounds 7
 */
import { parseArgs } from 'node:util';
import pg from 'pg';
import { buildSettingsStatement } from '../src/db/settings.ts';
import type { RequestContext } from '../src/db/request-settings.ts';
import type { Caller } from '../src/identity/caller.ts';
import { auditRecordsEndpoint } from '../src/resources/audit-logs.ts';
import { connected, createEmptyDatabase, createTestDatabase } from '../test/support/database.ts';
import setUp from '../test/support/global-setup.ts';
import tearDown from '../test/support/global-teardown.ts';
import { short, table } from './measure.ts';
import { makePastMonths } from './months.ts';
import { migrateTo } from './writes/earlier.ts';

const MONTHS = 24;
const CLIENTS = 1_000;
const CALLS = 10;
const clientOf = (n: number): string => `c1000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

/** The SQL that fills the audit log computes with bigint, because its products can exceed the largest integer. */
const rowsOf = (records: number): string => `
  set synchronous_commit = off;
  insert into public.audit_logs (request_id, actor, action, resource_type, resource_id, client_context, success, error_message, ip_address, user_agent, created_at)
  select 'bench', 'idp|' || n % 500, 'PUT /api/reclamations/{id}', 'reclamations', md5((n % 200000)::text)::uuid,
      ('c1000000-0000-4000-8000-' || lpad((1 + n * 7919 % ${String(CLIENTS)})::text, 12, '0'))::uuid,
      n % 20 > 0, case n % 20 when 0 then 'the client is not in the list of the token' end, '192.0.2.1', 'bench',
      now() - n * interval '${String(MONTHS)} months' / ${String(records)}
  from generate_series(${String(records)}::bigint, 1, -1) as n;
  vacuum (analyze) public.audit_logs`;

const monthsAgo = (months: number): string => {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months)).toISOString();
};

/** The measured lists of the audit log by name, each with the caller’s number of clients and the query parameters. */
const LISTS: Readonly<Record<string, readonly [number, Readonly<Record<string, string>>]>> = {
  'the newest records, all clients': [0, {}],
  'the newest records, 1 client': [1, {}],
  'the newest records, 50 clients': [50, {}],
  'the records of one client': [0, { client_context: clientOf(7) }],
  'the records about one claim': [0, { resource_id: '6974ce5a-c660-6b4a-bd2a-c1c5a1ac3fd9' }],
  'the records of one actor': [0, { actor: 'idp|7' }],
  'the refusal records': [0, { success: 'false' }],
  'the records of one month a year ago': [0, { created_from: monthsAgo(12), created_to: monthsAgo(11) }],
  'the third page of the records': [0, { offset: '40' }],
};
const DENIALS = 'select * from audit.denials limit 20';

interface Side {
  run(name: string): Promise<void>;
  spent(): Promise<number>;
  close(): Promise<void>;
}

async function openSide(adminUrl: string, records: number): Promise<Side> {
  const client = new pg.Client({ connectionString: adminUrl });
  const watcher = new pg.Client({ connectionString: adminUrl });
  // These handlers ignore the lost connections of a stopped Postgres server, so that a failed benchmark prints only its
  // own error.
  for (const one of [client, watcher]) one.on('error', () => undefined);
  await Promise.all([client.connect(), watcher.connect()]);
  for (const statement of rowsOf(records).split(';\n')) await client.query(statement);
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const path = `/proc/${String(rows[0]?.pid)}/schedstat`;
  return {
    async run(name) {
      const [clients, query] = LISTS[name] ?? [0, {}];
      const caller: Caller = {
        ...{ subject: 'bench', userId: clientOf(0), role: 'ADMIN', accessDigest: '', issuedAt: 0 },
        ...{ email: undefined, name: undefined },
        clientAccess: Array.from({ length: clients }, (_, n) => clientOf(n * 13 + 1)),
      };
      const context: RequestContext = {
        ...{
          caller,
          requestId: 'bench',
          action: 'GET /',
          ipAddress: '127.0.0.1',
          userAgent: 'bench',
          readOnly: true,
        },
      };
      const input = {
        params: {},
        query: auditRecordsEndpoint.query?.parse({ limit: '20', ...query }) ?? {},
        body: {},
      };
      await client.query('begin');
      if (LISTS[name] === undefined) await client.query({ name: 'denials', text: DENIALS });
      else {
        const settings = buildSettingsStatement(context, 0);
        await client.query(settings.text, [...settings.values]);
        if (!('list' in auditRecordsEndpoint)) throw new Error('the endpoint of the audit log returns no list');
        const { text, values } = auditRecordsEndpoint.list(input, caller).records;
        await client.query({ name, text, values: [...values] });
      }
      await client.query('rollback');
    },
    spent: async () =>
      Number(
        (await watcher.query<{ told: string }>('select pg_read_file($1) as told', [path])).rows[0]?.told.split(
          ' ',
          1,
        )[0],
      ) / 1_000,
    close: async () => {
      await Promise.all([client.end(), watcher.end()]);
    },
  };
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    records: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '15' },
  },
});
const [revision = '1ec6c11'] = positionals;
const records = Number(options.records);
await setUp();
try {
  const databases = [await createEmptyDatabase(), await createTestDatabase()] as const;
  await migrateTo(revision, databases[0].adminUrl);
  const admin = await connected(databases[1].adminUrl);
  await makePastMonths(admin, MONTHS);
  await admin.end();
  const sides = [
    await openSide(databases[0].adminUrl, records),
    await openSide(databases[1].adminUrl, records),
  ] as const;
  const lines: string[][] = [];
  for (const name of [...Object.keys(LISTS), 'audit.denials']) {
    const taken: [number[], number[]] = [[], []];
    for (let round = -2; round < Number(options.rounds); round++) {
      for (const [index, side] of sides.entries()) {
        const before = await side.spent();
        for (let call = 0; call < CALLS; call++) await side.run(name);
        if (round >= 0) taken[index]?.push(((await side.spent()) - before) / CALLS);
      }
    }
    const [before, now] = taken.map(median);
    lines.push([name, short(before ?? NaN), short(now ?? NaN), ((now ?? NaN) / (before ?? NaN)).toFixed(2)]);
  }
  console.log(table(['µs of Postgres', revision, 'now', 'ratio'], lines));
  for (const side of sides) await side.close();
  for (const database of databases) await database.close();
} finally {
  await tearDown();
}
