/**
 * `node bench/reporting/run.ts [rounds] [size …]` measures what the queries of a reporting login cost under the
 * policies, by the login’s number of clients. The cost is a multiple of the same query with a handwritten `where` and
 * without row-level security. The size `all` is a login with all clients, granted at once.
 */
import { deepEqual } from 'node:assert/strict';
import pg from 'pg';
import { withAdmin } from '../../test/support/database.ts';
import { clientsOf, createLogin, openBenchDatabase } from '../database.ts';
import { medians, short, table } from '../measure.ts';
import { QUERIES, type Query } from './queries.ts';

const [rounds = '9', ...chosen] = process.argv.slice(2);
const SIZES = chosen.length > 0 ? chosen : ['1', '50', '1000', '10000', 'all'];
const LOGIN = 'bench_bi';
/** The seconds after which the benchmark aborts a slow query, whose cost is then not measured. */
const TIMEOUT_S = 45;
const CANCELED = '57014';

const bench = await openBenchDatabase(process.env);
const rows = new Map<string, string[]>(QUERIES.map(({ name }) => [name, [name]]));
try {
  for (const size of SIZES) {
    await asLogin(size, async (run) => {
      for (const query of QUERIES) rows.get(query.name)?.push(await compare(query, run));
    });
  }
} finally {
  await bench.close();
}
console.log(table(['query', ...SIZES.map((size) => `${size} clients`)], [...rows.values()]));

interface Run {
  /** The ids of the clients that a reporting login is allowed to read; undefined for a login with all clients. */
  readonly clients: readonly string[] | undefined;
  readonly client: string;
  readonly company: string;
  readonly login: pg.Client;
  readonly admin: pg.Client;
}

async function compare(query: Query, { clients, client, company, login, admin }: Run): Promise<string> {
  const fill = (text: string): string =>
    (clients === undefined
      ? text.replace(/\S+ = any \(\$clients\)/, 'true')
      : text.replace('$clients', `'{${clients.join(',')}}'::uuid[]`)
    )
      .replace('$client', `'${client}'::uuid`)
      .replace('$company', pg.escapeLiteral(company));
  const reporting = fill(query.reporting);
  const byHand = fill(query.byHand);
  try {
    // The query through the views and the handwritten query must return the same number of rows. Otherwise a comparison
    // of their costs would say nothing.
    deepEqual((await login.query(reporting)).rowCount, (await admin.query(byHand)).rowCount);
    const taken = await medians(
      [
        { name: 'reporting', run: () => login.query(reporting) },
        { name: 'by hand', run: () => admin.query(byHand) },
      ],
      Number(rounds),
    );
    const [policies, none] = [taken.get('reporting') ?? NaN, taken.get('by hand') ?? NaN];
    return `${short(policies / none)} (${short(policies)} ms)`;
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === CANCELED) return `more than ${TIMEOUT_S} s`;
    throw error;
  }
}

async function asLogin(size: string, work: (run: Run) => Promise<void>): Promise<void> {
  const url = await createLogin(bench.adminUrl, LOGIN, 'in role taxclaims_reporting');
  const clients = size === 'all' ? undefined : await clientsOf(bench.adminUrl, Number(size));
  const client = clients?.at(-1) ?? (await clientsOf(bench.adminUrl, 1))[0] ?? '';
  await withAdmin(bench.adminUrl, async (admin) => {
    await admin.query('delete from reporting.grants where login = $1', [LOGIN]);
    if (clients === undefined) await admin.query(`select reporting.grant_all_clients('${LOGIN}')`);
    else await admin.query(`select reporting.grant_client('${LOGIN}', c) from unnest($1::uuid[]) as c`, [clients]);
    await admin.query('analyze reporting.grants');
    const { rows: named } = await admin.query<{ company_name: string }>(
      'select company_name from public.clients where id = $1',
      [client],
    );
    const login = new pg.Client({ connectionString: url, statement_timeout: TIMEOUT_S * 1000 });
    await login.connect();
    try {
      await work({ clients, client, company: named[0]?.company_name ?? '', login, admin });
    } finally {
      await login.end();
      await admin.query('delete from reporting.grants where login = $1', [LOGIN]);
      await admin.query(`drop role ${LOGIN}`);
    }
  });
}
