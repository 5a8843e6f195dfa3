/** `node bench/lists/run.ts`: what each form of a list costs under the policies, by the caller's number of clients. */
import { pino } from 'pino';
import { openDatabase } from '../../src/db/database.ts';
import type { RequestContext } from '../../src/db/request-settings.ts';
import type { Parameter } from '../../src/db/statement.ts';
import { readingAs } from '../caller.ts';
import { clientsOf, createLogin, dropLogin, openBenchDatabase } from '../database.ts';
import { medians, short, table } from '../measure.ts';
import { type Forms, type List, LISTS } from './forms.ts';

const SIZES = [1, 10, 50, 200, 1000];
const LIMITS = [20, 1000];

const bench = await openBenchDatabase(process.env);
const url = await createLogin(bench.adminUrl, 'bench_api', 'in role taxclaims_api');
const database = openDatabase({
  url,
  poolSize: 1,
  statementTimeoutMs: 60_000,
  preparedStatements: true,
  log: pino({ level: 'silent' }),
});
try {
  for (const [resource, list] of Object.entries(LISTS)) {
    for (const limit of LIMITS) {
      console.log(`\n${resource}, limit ${limit}: milliseconds\n`);
      console.log(table(['caller', ...Object.keys(list.forms)], await rowsOf(list, limit)));
    }
  }
} finally {
  await database.close();
  await dropLogin(bench.adminUrl, 'bench_api');
  await bench.close();
}

async function rowsOf({ forms, named }: List, limit: number): Promise<string[][]> {
  const rows: string[][] = [];
  for (const size of SIZES) {
    const clients = await clientsOf(bench.adminUrl, size);
    rows.push(await row(`${size} clients`, readingAs('ACCOUNT_MANAGER', clients), forms, [limit, 0]));
  }
  const clients = await clientsOf(bench.adminUrl, 50);
  const [client = ''] = clients;
  const naming = readingAs('ACCOUNT_MANAGER', clients, client);
  rows.push(await row('50 clients, one named', naming, { plain: named }, [limit, 0, client]));
  rows.push(await row('ADMIN', readingAs('ADMIN', []), { plain: forms['plain'] ?? '' }, [limit, 0]));
  return rows;
}

async function row(
  name: string,
  context: RequestContext,
  forms: Forms,
  values: readonly Parameter[],
): Promise<string[]> {
  const found = await database.transaction(context, async (run) =>
    medians(Object.entries(forms).map(([form, text]) => ({ name: form, run: () => run({ text, values }) }))),
  );
  return [name, ...[...found.values()].map(short)];
}
