/**
 * `node bench/reporting/run.ts`: what a reporting login's queries cost under the policies, as a multiple of the
 * same query with a `where` written by hand and no row-level security, by the login's number of clients.
 */
import { deepEqual } from 'node:assert/strict';
import pg from 'pg';
import { withAdmin } from '../../test/support/database.ts';
import { clientsOf, createLogin, openBenchDatabase } from '../database.ts';
import { medians, short, table } from '../measure.ts';
import { QUERIES, type Query } from './queries.ts';

const SIZES = [1, 50, 1000];
const LOGIN = 'bench_bi';
const ROUNDS = 9;

const bench = await openBenchDatabase(process.env);
const rows = new Map<string, string[]>(QUERIES.map(({ name }) => [name, [name]]));
try {
  for (const size of SIZES) {
    const clients = await clientsOf(bench.adminUrl, size);
    await asLogin(clients, async (login, admin) => {
      for (const query of QUERIES) rows.get(query.name)?.push(await compare(query, clients, login, admin));
    });
  }
} finally {
  await bench.close();
}
console.log(table(['query', ...SIZES.map((size) => `${size} clients`)], [...rows.values()]));

async function compare(
  query: Query,
  clients: readonly string[],
  login: pg.Client,
  admin: pg.Client,
): Promise<string> {
  const fill = (text: string): string =>
    text
      .replace('$clients', `'{${clients.join(',')}}'::uuid[]`)
      .replace('$client', `'${clients.at(-1) ?? ''}'::uuid`);
  const reporting = fill(query.reporting);
  const byHand = fill(query.byHand);
  // A quick answer to another question is no answer.
  deepEqual((await login.query(reporting)).rowCount, (await admin.query(byHand)).rowCount);
  const taken = await medians(
    [
      { name: 'reporting', run: () => login.query(reporting) },
      { name: 'by hand', run: () => admin.query(byHand) },
    ],
    ROUNDS,
  );
  const [policies, none] = [taken.get('reporting') ?? NaN, taken.get('by hand') ?? NaN];
  return `${short(policies / none)} (${short(policies)} ms)`;
}

async function asLogin(
  clients: readonly string[],
  work: (login: pg.Client, admin: pg.Client) => Promise<void>,
): Promise<void> {
  const url = await createLogin(bench.adminUrl, LOGIN, 'in role taxclaims_reporting');
  await withAdmin(bench.adminUrl, async (admin) => {
    await admin.query('delete from reporting.grants where login = $1', [LOGIN]);
    await admin.query(`select reporting.grant_client('${LOGIN}', c) from unnest($1::uuid[]) as c`, [clients]);
    await admin.query('analyze reporting.grants');
    const login = new pg.Client({ connectionString: url });
    await login.connect();
    try {
      await work(login, admin);
    } finally {
      await login.end();
      await admin.query('delete from reporting.grants where login = $1', [LOGIN]);
      await admin.query(`drop role ${LOGIN}`);
    }
  });
}
