/**
 * Tries the design of docs/scale.md in which the client is a part of every key, on a copy of a filled database.
 *
 *   npx node bench/scale/by-client/run.ts 300000
 *
 * The benchmark adds the client to every table (1-key.sql), and creates the tables a second time, partitioned
 * by client (2-sharded.sql). Then the endpoints’ own SQL statements read the same rows from both, under the policies.
 */
import { readFile } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import type { Client } from 'pg';
import { asDatabase, withAdmin } from '../../../test/support/database.ts';
import { clientsOf, createLogin, databaseOfSize, dropLogin, openBenchServer } from '../../database.ts';
import { asRequest, microseconds } from '../../endpoints/sessions.ts';
import { reads } from '../../endpoints/statements.ts';
import { medians, short, table } from '../../measure.ts';
import type { Statement } from '../../../src/db/statement.ts';
import { refused } from './refused.ts';

const NAME = 'taxclaims_bench_by_client';
const LOGIN = 'bench_by_client';
const [, , asClaims = '20000', asClients = '1,50'] = process.argv;
const claims = Number(asClaims);

const server = await openBenchServer(process.env);
try {
  const template = await databaseOfSize(server, claims);
  const adminUrl = asDatabase(server.adminUrl, NAME);
  await withAdmin(server.adminUrl, async (admin) => {
    await admin.query(`drop database if exists ${NAME} with (force)`);
    await admin.query(`create database ${NAME} template ${new URL(template).pathname.slice(1)}`);
  });
  await withAdmin(adminUrl, async (admin) => {
    for (const file of ['1-key.sql', '2-sharded.sql']) await apply(admin, file);
    await admin.query('vacuum (analyze)');
    console.log(`\nWhat policies and keys refuse\n\n${await refused(admin)}`);
  });
  for (const count of asClients.split(',')) await compare(adminUrl, Number(count));
  await withAdmin(server.adminUrl, (admin) => admin.query(`drop database ${NAME} with (force)`));
} finally {
  await server.close();
}

/**
 * Each block of the SQL script is a transaction of its own, because a deferred foreign key with open checks prevents
 * the creation of an index.
 */
async function apply(admin: Client, file: string): Promise<void> {
  const script = await readFile(join(import.meta.dirname, file), 'utf8');
  for (const part of script.split(/(?<=^\$\w+\$;$)/m)) await admin.query(part);
}

async function compare(adminUrl: string, count: number): Promise<void> {
  const clients = await clientsOf(adminUrl, count, claims);
  const url = await createLogin(adminUrl, LOGIN, 'in role taxclaims_api');
  const rows: string[][] = [];
  try {
    const all = await withAdmin(adminUrl, (admin) => reads(admin, clients));
    for (const { name, request, statement } of all) {
      const moved = inParts(statement);
      if (moved.text === statement.text) continue;
      rows.push(
        await asRequest(url, request, async (session) => {
          const same = JSON.stringify(await session.rows(statement)) === JSON.stringify(await session.rows(moved));
          if (!same) throw new Error(`${name}: the partitioned tables return other rows than the single table`);
          const times = await medians([session.contender('whole', statement), session.contender('parts', moved)], 9);
          const [whole, parts] = [times.get('whole'), times.get('parts')].map(microseconds);
          return [name, short(whole ?? NaN), short(parts ?? NaN), String(await touched(session, moved))];
        }),
      );
    }
  } finally {
    await dropLogin(adminUrl, LOGIN);
  }
  const head = ['statement', 'one table, µs', 'eight parts, µs', 'parts that Postgres read'];
  console.log(
    `\n${claims} claims, ${count} clients in the token, at a load of ${loadavg().map(short).join(', ')}\n\n${table(head, rows)}`,
  );
}

/**
 * Returns the SQL statement with the partitioned tables in place of the single tables. Tables whose rows belong to no
 * client stay the same.
 */
function inParts({ text, values }: Statement): Statement {
  const tables =
    /\bpublic\.(?=(?:clients|sites|cadastres|reclamations|reclamation_history|documents|factures|client_partners|partner_invoices)\b)/g;
  return { text: text.replace(tables, 'sharded.'), values };
}

/** Returns how many of a table’s eight partitions Postgres read for an SQL statement. */
async function touched(
  session: { rows(statement: Statement): Promise<readonly unknown[]> },
  { text, values }: Statement,
): Promise<number> {
  const lines = await session.rows({
    text: `explain (analyze, costs off, timing off, summary off) ${text}`,
    values,
  });
  const parts = lines
    .map(String)
    .filter((line) => !line.includes('never executed'))
    .flatMap((line) => /\bon \w+_(\d)\b/.exec(line)?.[1] ?? []);
  return new Set(parts).size;
}
