/**
 * `npm run bench -- gate` compares the processor time of each kind of request between this checkout and the previous
 * release. The two versions are measured in turns.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestKey, startTestIdentity } from '../../test/support/identity.ts';
import { addressOf, start } from '../../test/support/process.ts';
import { createLogin, databaseOfSize, dropLogin } from '../database.ts';
import type { BenchServer } from '../database.ts';
import { median, short, table } from '../measure.ts';
import { openRelease } from '../peers/release.ts';
import { keep } from '../results.ts';
import { askedOf } from '../scale/asked.ts';
import { measureKind, type Figures } from '../scale/kind.ts';
import { kindsOf } from '../scale/kinds.ts';

/**
 * The kinds of requests that `npm run bench -- scale` also measures, and whose numbers of queries are in
 * test/price/price.json.
 */
const KINDS = [
  'list 20 claims of a client',
  'read a claim',
  'change a claim',
  'create a claim',
  'refused: no token',
  'refused: a claim of others',
];
const CLAIMS = 20_000;
/** This limit is higher than any number of requests that the benchmark sends in a minute. */
const NO_LIMIT = '1000000';

interface GateOptions {
  readonly rounds: number;
  readonly previous: string;
}

export async function measureGate(server: BenchServer, { rounds, previous }: GateOptions): Promise<void> {
  const before = await openRelease(server, previous, CLAIMS);
  const here = { folder: join(import.meta.dirname, '../..'), adminUrl: await databaseOfSize(server, CLAIMS) };
  const identity = await startTestIdentity();
  identity.publish(await createTestKey('RS256'));
  const sides = [];
  try {
    for (const [login, release] of Object.entries({ bench_now: here, bench_before: before })) {
      const { adminUrl, folder: root } = release;
      const folder = await mkdtemp(join(tmpdir(), 'taxclaims-gate-'));
      const environment = {
        ...{ NODE_ENV: 'production', PORT: '0', DATA_DIR: folder, LOG_LEVEL: 'info' },
        DATABASE_URL: await createLogin(adminUrl, login, 'in role taxclaims_api'),
        ...{
          AUTH_ISSUER: identity.issuer,
          AUTH_AUDIENCE: identity.audience,
          AUTH_JWKS_URL: identity.jwksUrl,
        },
        ...{ RATE_LIMIT_PER_USER: NO_LIMIT, RATE_LIMIT_PER_IP: NO_LIMIT },
      };
      const service = start(folder, environment, root);
      sides.push({ login, adminUrl, folder, service, taken: new Map<string, Figures[]>() });
    }
    for (let round = 0; round <= rounds; round += 1) {
      for (const name of KINDS) {
        for (const { login, adminUrl, service, taken } of sides) {
          const asked = { ...(await askedOf(adminUrl, identity, CLAIMS)), document: '' };
          const kind = (await kindsOf(asked)).find((one) => one.name === name);
          if (kind === undefined) throw new Error(`bench/scale/kinds.ts has no request called ${name}`);
          const origin = await addressOf(service);
          const figures = await measureKind(kind, { origin, pid: service.pid, adminUrl, login });
          // The first round of the benchmark does not count, because it prepares statements and compiles code.
          if (round > 0) taken.set(name, [...(taken.get(name) ?? []), figures]);
        }
      }
      console.error(`round ${round} of ${rounds}`);
    }
    const [now, then] = sides.map(({ taken }) => taken);
    console.log(`\nAgainst the release ${previous}, at a load of ${loadavg().map(short).join(', ')}\n`);
    console.log(byKind(now ?? new Map(), then ?? new Map()));
    const raw = Object.fromEntries(sides.map(({ login, taken }) => [login, Object.fromEntries(taken)]));
    console.log(`\nRaw figures: ${await keep('gate', here.adminUrl, raw)}`);
  } finally {
    for (const { service, adminUrl, login, folder } of sides) {
      service.signal('SIGTERM');
      await service.ended;
      await dropLogin(adminUrl, login);
      await rm(folder, { recursive: true, force: true });
    }
    await identity.stop();
  }
}

type Taken = ReadonlyMap<string, readonly Figures[]>;

/**
 * Returns a table with a row for each kind of request. In each round both releases are measured one after the other,
 * which gives a ratio. The table shows the median of these ratios.
 */
function byKind(now: Taken, before: Taken): string {
  return table(
    ['', 'Node µs', 'before', 'ratio', 'Postgres µs', 'before', 'ratio'],
    KINDS.map((name) => [
      name,
      ...(['node', 'postgres'] as const).flatMap((of) => {
        const [own, other] = [now, before].map((taken) => (taken.get(name) ?? []).map((one) => one[of]));
        const ratios = (own ?? []).map((value, round) => value / (other?.[round] ?? Number.NaN));
        return [median(own ?? []), median(other ?? []), median(ratios)].map(short);
      }),
    ]),
  );
}
