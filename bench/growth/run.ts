/**
 * `npm run bench -- growth` measures the cost of each SQL statement with which an endpoint reads, by the size of the
 * database.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withAdmin } from '../../test/support/database.ts';
import { BENCH_DIR, clientsOf, createLogin, databaseOfSize, dropLogin, FULL_SIZE } from '../database.ts';
import type { BenchServer } from '../database.ts';
import { asRequest, microseconds } from '../endpoints/sessions.ts';
import type { Session } from '../endpoints/sessions.ts';
import { reads } from '../endpoints/statements.ts';
import type { Read } from '../endpoints/statements.ts';
import { medians, short, table } from '../measure.ts';
import type { Contender } from '../measure.ts';
import { keep } from '../results.ts';
import { plot } from './plot.ts';
import type { Line } from './plot.ts';

const SIZES = [20_000, 100_000, 300_000, FULL_SIZE];
const CLIENTS = 50;

/** The endpoints whose costs bench/growth.svg shows; the printed table has all endpoints. */
const MAIN = [
  'GET /api/clients/{clientId}/reclamations',
  'GET /api/reclamations',
  'GET /api/reclamations/{id}',
  'GET /api/reclamations/{id}/documents',
  'GET /api/clients',
  'GET /api/sites',
  'GET /api/cadastres',
  'GET /api/invoices',
];

interface Size {
  readonly claims: number;
  readonly apiUrl: string;
  readonly reads: readonly Read[];
}

export async function measureGrowth(server: BenchServer, rounds: number): Promise<void> {
  const sizes: Size[] = [];
  for (const claims of SIZES) sizes.push(await openSize(server, claims));
  const names = sizes[0]?.reads.map(({ name }) => name) ?? [];
  const lines: Line[] = [];
  for (const name of names) {
    console.error(name);
    lines.push({ name, points: await pointsOf(name, sizes, rounds) });
  }
  for (const { claims } of sizes) await dropLogin(server.adminUrl, loginOf(claims));
  console.log(`\nMicroseconds of Postgres by the number of claims, ${CLIENTS} clients in the token\n`);
  console.log(
    table(
      ['statement', ...SIZES.map((claims) => claims.toLocaleString('en')), 'last / first'],
      lines.map(({ name, points }) => [
        `\`${name}\``,
        ...points.map(({ us }) => short(us)),
        ((points.at(-1)?.us ?? Number.NaN) / (points[0]?.us ?? Number.NaN)).toFixed(2),
      ]),
    ),
  );
  const adminUrl = await databaseOfSize(server, FULL_SIZE);
  console.log(`\nRaw figures: ${await keep('growth', adminUrl, lines)}`);
  const picture = join(BENCH_DIR, 'results', 'growth.svg');
  await writeFile(picture, plot(lines.filter(({ name }) => MAIN.includes(name))));
  console.log(`Plot: ${picture}`);
}

function loginOf(claims: number): string {
  return `bench_api_${claims}`;
}

async function openSize(server: BenchServer, claims: number): Promise<Size> {
  const adminUrl = await databaseOfSize(server, claims);
  const clients = await clientsOf(adminUrl, CLIENTS, claims);
  return {
    claims,
    apiUrl: await createLogin(adminUrl, loginOf(claims), 'in role taxclaims_api'),
    reads: await withAdmin(adminUrl, (admin) => reads(admin, clients)),
  };
}

/** Measures an SQL statement in databases of all sizes in turns, with one open connection to each database. */
async function pointsOf(name: string, sizes: readonly Size[], rounds: number): Promise<Line['points']> {
  const taken = await inSessions(name, sizes, [], (contenders) => medians(contenders, rounds));
  return sizes.map(({ claims }) => ({ claims, us: microseconds(taken.get(String(claims))) }));
}

async function inSessions<T>(
  name: string,
  [size, ...others]: readonly Size[],
  contenders: readonly Contender[],
  work: (contenders: readonly Contender[]) => Promise<T>,
): Promise<T> {
  if (size === undefined) return work(contenders);
  const read = size.reads.find((each) => each.name === name);
  if (read === undefined) throw new Error(`there is no statement ${name} for the database of ${size.claims} claims`);
  return asRequest(size.apiUrl, read.request, (session: Session) =>
    inSessions(name, others, [...contenders, session.contender(String(size.claims), read.statement)], work),
  );
}
