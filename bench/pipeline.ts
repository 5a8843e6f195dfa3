/**
 * Compares two ways to send the SQL statements of a request: in one pipeline with a single Sync, or as four queries
 * (begin, settings, statement, commit) that are awaited one after the other. Both ways use prepared statements. They
 * take turns, so that other load of the machine affects both.
 *
 *   npx node bench/pipeline.ts
 */
import { randomUUID } from 'node:crypto';
import { Pool } from 'pg';
import { pino } from 'pino';
import { openDatabase } from '../src/db/database.ts';
import type { RequestContext } from '../src/db/request-settings.ts';
import { buildSettingsStatement } from '../src/db/settings.ts';
import type { Statement } from '../src/db/statement.ts';
import { createTestDatabase, withAdmin } from '../test/support/database.ts';
import setUp from '../test/support/global-setup.ts';
import tearDown from '../test/support/global-teardown.ts';

const CALLERS = 10;
const ROUNDS = 7;
const ROUND_MS = 1_000;
const TIMEOUT_MS = 10_000;

const client = randomUUID();
const context: RequestContext = {
  caller: {
    subject: 'idp|bench',
    userId: randomUUID(),
    role: 'CLIENT',
    clientAccess: [client],
    accessDigest: '',
    issuedAt: 1_700_000_000,
    email: undefined,
    name: undefined,
  },
  requestId: 'bench',
  action: 'GET /api/reclamations',
  ipAddress: '127.0.0.1',
  userAgent: 'bench',
  readOnly: true,
};
const claims: Statement = {
  text: `select row_to_json(r)::text from public.reclamations as r where r.client_id = $1 order by r.id limit 20`,
  values: [client],
};

/** Sends a request’s SQL statements as the documentation of `pg` shows, with prepared statements. */
async function fourAwaits(pool: Pool): Promise<void> {
  const settings = buildSettingsStatement(context, TIMEOUT_MS);
  const connection = await pool.connect();
  await connection.query('begin read only');
  await connection.query({ name: 'settings', text: settings.text, values: [...settings.values] });
  await connection.query({ name: 'claims', text: claims.text, values: [...claims.values], rowMode: 'array' });
  await connection.query('commit');
  connection.release();
}

/** Returns the number of requests per second that all callers complete together. */
async function measure(work: () => Promise<unknown>): Promise<number> {
  const end = performance.now() + ROUND_MS;
  let done = 0;
  const caller = async (): Promise<void> => {
    for (; performance.now() < end; done++) await work();
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  return (done * 1_000) / ROUND_MS;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

await setUp();
const postgres = await createTestDatabase();
await withAdmin(postgres.adminUrl, async (admin) => {
  const site = randomUUID();
  await admin.query(
    `insert into public.clients (id, company_name, contact_email) values ($1, 'Bench', 'a@b.example')`,
    [client],
  );
  await admin.query(`insert into public.sites (id, client_id, site_name) values ($1, $2, 'Siège')`, [site, client]);
  await admin.query(
    `insert into public.reclamations (client_id, site_id, claim_type, amount)
     select $1, $2, 'TF', n from generate_series(1, 20) as n`,
    [client, site],
  );
});
const pool = new Pool({ connectionString: postgres.apiUrl, max: CALLERS });
const log = pino({ level: 'silent' });
const database = openDatabase({
  ...{ url: postgres.apiUrl, poolSize: CALLERS, log },
  statementTimeoutMs: TIMEOUT_MS,
  preparedStatements: true,
});

const awaits: number[] = [];
const pipelines: number[] = [];
for (let round = 0; round <= ROUNDS; round++) {
  const before = await measure(() => fourAwaits(pool));
  const after = await measure(() => database.run(context, [claims]));
  // The first round of the benchmark warms up and does not count.
  if (round === 0) continue;
  awaits.push(before);
  pipelines.push(after);
}
console.log(`four awaits: ${Math.round(median(awaits))} requests a second`);
console.log(`one pipeline:  ${Math.round(median(pipelines))} requests a second`);
console.log(`ratio:       ${median(pipelines.map((each, round) => each / (awaits[round] ?? NaN))).toFixed(2)}`);

await pool.end();
await database.close();
await postgres.close();
await tearDown();
