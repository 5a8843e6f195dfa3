/**
 * `npm run bench -- endpoints` measures what row-level security costs each SQL statement with which an endpoint reads.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Statement } from '../../src/db/statement.ts';
import { withAdmin } from '../../test/support/database.ts';
import { clientsOf, createLogin, databaseOfSize, dropLogin, FULL_SIZE } from '../database.ts';
import type { BenchServer } from '../database.ts';
import { median, medians, short, table } from '../measure.ts';
import { keep } from '../results.ts';
import { byHand } from './by-hand.ts';
import { asRequest, asSuperuser, microseconds } from './sessions.ts';
import type { Session } from './sessions.ts';
import { reads } from './statements.ts';
import type { Read } from './statements.ts';

const CLIENTS = 50;
const LOGIN = 'bench_api';

interface Cost {
  readonly name: string;
  readonly policiesUs: number;
  readonly byHandUs: number;
}

export async function measureEndpoints(server: BenchServer, rounds: number): Promise<void> {
  const adminUrl = await databaseOfSize(server, FULL_SIZE);
  const apiUrl = await createLogin(adminUrl, LOGIN, 'in role taxclaims_api');
  const clients = await clientsOf(adminUrl, CLIENTS);
  const costs: Cost[] = [];
  for (const read of await withAdmin(adminUrl, (admin) => reads(admin, clients))) {
    console.error(read.name);
    costs.push(await compare(read, apiUrl, adminUrl, rounds));
  }
  await dropLogin(adminUrl, LOGIN);
  const ratios = costs.map(({ policiesUs, byHandUs }) => policiesUs / byHandUs);
  console.log(`\nPolicies against a filter by hand, ${CLIENTS} clients in the token\n`);
  console.log(
    table(
      ['statement', 'policies µs', 'by hand µs', 'ratio'],
      costs.map(({ name, policiesUs, byHandUs }, i) => [
        `\`${name}\``,
        short(policiesUs),
        short(byHandUs),
        (ratios[i] ?? Number.NaN).toFixed(2),
      ]),
    ),
  );
  console.log(`\nMedian of the ratios ${median(ratios).toFixed(2)}, largest ${Math.max(...ratios).toFixed(2)}.`);
  console.log(`Raw figures: ${await keep('endpoints', adminUrl, costs)}`);
}

async function compare(read: Read, apiUrl: string, adminUrl: string, rounds: number): Promise<Cost> {
  const { name, request, statement } = read;
  return asRequest(apiUrl, request, (policies) =>
    asSuperuser(adminUrl, request, async (superuser) => {
      const alike = await sameByHand(read, superuser, await policies.rows(statement));
      const taken = await medians(
        [policies.contender('policies', statement), superuser.contender('by hand', alike)],
        rounds,
      );
      return {
        name,
        policiesUs: microseconds(taken.get('policies')),
        byHandUs: microseconds(taken.get('by hand')),
      };
    }),
  );
}

/**
 * @throws Error if no statement with handwritten filters returns the same rows as the policies: without equal rows, a
 * comparison of the costs would say nothing
 */
async function sameByHand(read: Read, superuser: Session, rows: readonly unknown[]): Promise<Statement> {
  const { values } = read.statement;
  for (const text of byHand(read)) {
    if (isDeepStrictEqual(await superuser.rows({ text, values }), rows)) return { text, values };
  }
  throw new Error(`${read.name} finds other rows with the filter of bench/endpoints/by-hand.ts`);
}
