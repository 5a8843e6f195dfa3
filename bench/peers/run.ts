/**
 * `npm run bench -- peers` compares how fast this service and others, over the same rows, answer a request for a
 * client’s newest 20 claims.
 */
import { join } from 'node:path';
import { determineDatabaseRole, buildSettingsStatement } from '../../src/db/settings.ts';
import type { Statement } from '../../src/db/statement.ts';
import { withAdmin } from '../../test/support/database.ts';
import { createTestKey, startTestIdentity } from '../../test/support/identity.ts';
import { readingAs, storeCaller } from '../caller.ts';
import { clientsOf, databaseOfSize, FULL_SIZE } from '../database.ts';
import type { BenchServer } from '../database.ts';
import { listOfClient } from '../endpoints/statements.ts';
import { median, short, table } from '../measure.ts';
import { keep } from '../results.ts';
import { FIELDS, PAGE } from './peer.ts';
import type { Peer, Sample } from './peer.ts';
import { inOnePipeline, pgbenchPeer, statementByStatement } from './pgbench.ts';
import { openRelease } from './release.ts';
import { startExpress, startNest, startPostGraphile, startService } from './services.ts';
import type { Asked } from './services.ts';

interface PeersOptions {
  readonly rounds: number;
  readonly seconds: number;
  /** The git revision of the previous release. */
  readonly previous: string;
}

const CLIENTS = 50;
const STATEMENT_TIMEOUT_MS = 5_000;
const NAME = 'this service';
/** The benchmark warms a compared service up with at most this many turns of requests. */
const LONGEST_WARM_UP = 12;

export async function measurePeers(server: BenchServer, options: PeersOptions): Promise<void> {
  // The previous release’s database is migrated first. The settings of the whole Postgres server, which both databases
  // share, are thus those of this checkout.
  const previous = await openRelease(server, options.previous);
  const adminUrl = await databaseOfSize(server, FULL_SIZE);
  const identity = await startTestIdentity();
  // The identity provider signs with RS256, as hosted providers do. RS256 is also the fastest algorithm to verify.
  identity.publish(await createTestKey('RS256'));
  const peers: Peer[] = [];
  try {
    const asked = await question(adminUrl, identity);
    await storeCaller(previous.adminUrl, 'ACCOUNT_MANAGER', asked.clients);
    const here = { folder: join(import.meta.dirname, '..', '..'), adminUrl };
    const service = await startService(NAME, 'bench_service', here, { ...asked, fields: FIELDS });
    let perSecond = 0;
    const measure = async (seconds: number): Promise<Sample> => {
      const sample = await service.measure(seconds);
      perSecond = sample.requestsPerSecond;
      return sample;
    };
    peers.push({ ...service, measure });
    peers.push(await startService(`${NAME} at ${options.previous}`, 'bench_previous', previous, asked));
    peers.push(await startExpress(asked));
    peers.push(await startNest(asked));
    peers.push(await startPostGraphile(asked));
    const { statements, role } = sentBy(asked);
    const [single, pipeline] = [statementByStatement(statements), inOnePipeline(statements)];
    const login = { adminUrl, role };
    peers.push(await pgbenchPeer('pgbench, statement by statement', 'bench_pgbench', single, login));
    peers.push(await pgbenchPeer('pgbench, one pipeline', 'bench_pgbench_pipeline', pipeline, login));
    const paced = { ...login, perSecond: () => perSecond };
    peers.push(
      await pgbenchPeer('pgbench, one pipeline, at the rate of this service', 'bench_pgbench_paced', pipeline, paced),
    );
    const samples = await rounds(peers, options);
    console.log(`\nA client's newest ${PAGE} claims\n\n${tableOf(samples)}\n`);
    console.log(`Raw figures: ${await keep('peers', adminUrl, Object.fromEntries(samples))}`);
  } finally {
    for (const peer of peers) await peer.stop();
    await identity.stop();
  }
}

/** Measures all compared services in turns, so that other load of the machine affects all of them. */
export async function rounds(
  peers: readonly Peer[],
  options: Pick<PeersOptions, 'rounds' | 'seconds'>,
): Promise<ReadonlyMap<string, readonly Sample[]>> {
  const samples = new Map<string, Sample[]>();
  const absent = new Set<Peer>();
  for (let round = 1; round <= options.rounds; round += 1) {
    for (const peer of peers.filter((each) => !absent.has(each))) {
      try {
        if (round === 1) await settle(peer, options.seconds);
        else await peer.warmUp(1);
        const taken = samples.get(peer.name) ?? [];
        samples.set(peer.name, [...taken, await peer.measure(options.seconds)]);
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
        absent.add(peer);
        samples.set(peer.name, []);
      }
    }
    console.error(`round ${round} of ${options.rounds}`);
  }
  return samples;
}

/**
 * Sends turns of requests to a compared service until the speeds of two successive turns differ by less than a
 * twentieth, because until then Node still compiles code.
 */
async function settle(peer: Peer, seconds: number): Promise<void> {
  let before = Number.NaN;
  for (let turn = 0; turn < LONGEST_WARM_UP; turn += 1) {
    const { nodeMicroseconds = 0, postgresMicroseconds = 0 } = await peer.measure(seconds);
    const now = nodeMicroseconds + postgresMicroseconds;
    if (Math.abs(now / before - 1) < 0.05) return;
    before = now;
  }
}

function tableOf(samples: ReadonlyMap<string, readonly Sample[]>): string {
  const own = samples.get(NAME) ?? [];
  return table(
    ['', 'requests a second', 'of this service’s rate', 'Node µs', 'Postgres µs', 'p99 ms'],
    [...samples].map(([name, taken]) => {
      if (taken.length === 0) return [`${name}: no pgbench here (Debian: postgresql-15)`, '', '', '', '', ''];
      const ratios = taken.map(
        ({ requestsPerSecond }, round) => requestsPerSecond / (own[round]?.requestsPerSecond ?? Number.NaN),
      );
      return [
        name,
        shown(taken.map((sample) => sample.requestsPerSecond)),
        short(median(ratios)),
        shown(taken.map((sample) => sample.nodeMicroseconds)),
        shown(taken.map((sample) => sample.postgresMicroseconds)),
        shown(taken.map((sample) => sample.p99)),
      ];
    }),
  );
}

function shown(values: readonly (number | undefined)[]): string {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? '' : short(median(known));
}

/** Returns the request of the benchmark: the newest claims of one client, by a caller with fifty clients. */
export async function question(adminUrl: string, identity: Asked['identity'], claims = FULL_SIZE): Promise<Asked> {
  const clients = await clientsOf(adminUrl, CLIENTS, claims);
  // The request names the client whose id is in the middle of all ids, so that the benchmark chooses neither a large
  // nor a small client on purpose.
  const client = clients[CLIENTS / 2] ?? '';
  await storeCaller(adminUrl, 'ACCOUNT_MANAGER', clients);
  const token = await identity.token({
    ...{ sub: 'bench', role: 'ACCOUNT_MANAGER', client_access: clients },
    exp: Math.floor(Date.now() / 1_000) + 24 * 3_600,
  });
  const { rows } = await withAdmin(adminUrl, (admin) =>
    admin.query<{ id: string }>(
      `select id from public.reclamations where client_id = $1 order by created_at desc, id desc limit $2`,
      [client, PAGE],
    ),
  );
  return { adminUrl, token, clients, client, identity, expected: rows.map(({ id }) => id) };
}

/** Returns the SQL statements that this service sends for the compared request, and the request’s database role. */
function sentBy({ clients, client }: Asked): { statements: readonly Statement[]; role: string } {
  const request = readingAs('ACCOUNT_MANAGER', clients, client);
  const list = listOfClient(request.caller, client, PAGE, FIELDS);
  return {
    statements: [buildSettingsStatement(request, STATEMENT_TIMEOUT_MS), list],
    role: determineDatabaseRole(request),
  };
}
