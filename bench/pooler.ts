/**
 * `npx node bench/pooler.ts [rounds] [seconds]` measures what PgBouncer before Postgres costs a read request, and what
 * a read costs without prepared statements. This service runs with and without each of them, in turns. The benchmark
 * needs Debian’s pgbouncer.
 */
import { execFileSync } from 'node:child_process';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { MAX_PREPARED_STATEMENTS } from '../src/limits.ts';
import { startPgBouncer } from '../deploy/lab/pgbouncer.ts';
import type { PgBouncer } from '../deploy/lab/pgbouncer.ts';
import { findProgram } from '../deploy/lab/program.ts';
import { createLabFolder } from '../deploy/lab/reaper.ts';
import { createScratchCluster } from '../test/faults/cluster.ts';
import type { Cluster } from '../test/faults/cluster.ts';
import { createFolder } from '../test/support/embedded.ts';
import { createTestKey, startTestIdentity } from '../test/support/identity.ts';
import { databaseOfSize } from './database.ts';
import { median, short, table } from './measure.ts';
import type { Peer, Sample } from './peers/peer.ts';
import { question, rounds } from './peers/run.ts';
import { startService } from './peers/services.ts';
import { processorTime } from './processor-time.ts';
import { keep } from './results.ts';

const CLAIMS = 20_000;
const FIRST = 'no pooler, prepared';
/** The columns of the table that the benchmark prints. The function `compared` calculates the values. */
const COMPARED = [
  ...['rate', 'p50 ms', 'as a ratio', 'p99 ms', 'as a ratio', 'Node µs', 'as a ratio'],
  ...['Postgres µs', 'as a ratio'],
];

const [, , asRounds = '7', asSeconds = '4'] = process.argv;

/**
 * PgBouncer before 1.21 keeps prepared statements only in session mode, so the benchmark uses this mode with an older
 * version.
 */
const keepsPrepared = await versionOf('pgbouncer').then(([major, minor]) => major > 1 || minor >= 21);
const KEEPING = keepsPrepared ? { max_prepared_statements: String(MAX_PREPARED_STATEMENTS) } : { pool_mode: 'session' };
const kept = `PgBouncer, prepared (${keepsPrepared ? 'transaction' : 'session'} mode)`;

const folder = await createFolder();
const lab = await createLabFolder();
const identity = await startTestIdentity();
identity.publish(await createTestKey('RS256'));
const poolers: PgBouncer[] = [];
const peers: Peer[] = [];
/**
 * PgBouncer’s processor time for each request in microseconds. The map has, for each measured setup, one value for each
 * turn.
 */
const spent = new Map<string, number[]>();
let cluster: Cluster | undefined;
try {
  cluster = await createScratchCluster(join(folder.path, 'postgres'));
  const { adminUrl: upstream } = cluster;
  const adminUrl = await databaseOfSize({ adminUrl: upstream, close: () => Promise.resolve() }, CLAIMS);
  const asked = await question(adminUrl, identity, CLAIMS);
  const open = async (name: string, settings: Readonly<Record<string, string>> = {}): Promise<PgBouncer> => {
    const pooler = await startPgBouncer({ dir: join(lab.path, name), upstream, settings });
    poolers.push(pooler);
    return pooler;
  };
  const [keeping, losing] = [await open('keeping', KEEPING), await open('losing')];
  const variants: readonly [name: string, login: string, pooler: PgBouncer | undefined, prepared: boolean][] = [
    [FIRST, 'bench_prepared', undefined, true],
    ['no pooler, none prepared', 'bench_unnamed', undefined, false],
    [kept, 'bench_pooled_prepared', keeping, true],
    ['PgBouncer, none prepared (transaction mode)', 'bench_pooled_unnamed', losing, false],
  ];
  const here = { folder: join(import.meta.dirname, '..'), adminUrl };
  for (const [name, login, pooler, prepared] of variants) {
    const environment = (url: string) => ({
      DATABASE_URL: pooler?.via(url) ?? url,
      DATABASE_PREPARED_STATEMENTS: String(prepared),
    });
    const peer = await startService(name, login, here, asked, environment);
    peers.push(pooler === undefined ? peer : { ...peer, measure: measuring(peer, pooler) });
  }
  const samples = await rounds(peers, { rounds: Number(asRounds), seconds: Number(asSeconds) });
  console.log(`\n${tableOf(samples)}\n\nLoad of the machine: ${loadavg().map(short).join(', ')}`);
  console.log(`Raw figures: ${await keep('pooler', adminUrl, Object.fromEntries(samples))}`);
} finally {
  for (const peer of peers) await peer.stop();
  for (const pooler of poolers) await pooler.close();
  await identity.stop();
  await cluster?.remove();
  await folder.remove();
  await lab.remove();
}

/** Measures a setup of the service, and adds the processor time that its PgBouncer spends meanwhile. */
function measuring(peer: Peer, pooler: PgBouncer): Peer['measure'] {
  return async (seconds) => {
    const pids = await pooler.pids();
    const before = processorTime(pids);
    const sample = await peer.measure(seconds);
    const each = ((processorTime(pids) - before) * 1_000) / (sample.requestsPerSecond * seconds);
    spent.set(peer.name, [...(spent.get(peer.name) ?? []), each]);
    return sample;
  };
}

/**
 * Returns the medians of a setup’s figures, and the median ratio of each figure to that of the first setup in the same
 * turn.
 */
function compared(taken: readonly Sample[], first: readonly Sample[]): string[] {
  const ratio = (of: (sample: Sample) => number | undefined): string =>
    short(median(taken.map((sample, round) => Number(of(sample)) / Number(first[round] && of(first[round])))));
  const both = (of: (sample: Sample) => number | undefined): string[] => [
    short(median(taken.map((sample) => Number(of(sample))))),
    ratio(of),
  ];
  return [
    ratio((sample) => sample.requestsPerSecond),
    ...both((sample) => sample.p50),
    ...both((sample) => sample.p99),
    ...both((sample) => sample.nodeMicroseconds),
    ...both((sample) => sample.postgresMicroseconds),
  ];
}

function tableOf(samples: ReadonlyMap<string, readonly Sample[]>): string {
  return table(
    ['', ...COMPARED, 'PgBouncer µs'],
    [...samples].map(([name, taken]) => [
      name,
      ...compared(taken, samples.get(FIRST) ?? []),
      spent.has(name) ? short(median(spent.get(name) ?? [])) : '',
    ]),
  );
}

async function versionOf(program: string): Promise<[number, number]> {
  const text = execFileSync(await findProgram(program, program), ['--version'], { encoding: 'utf8' });
  const [, major = '0', minor = '0'] = /(\d+)\.(\d+)/.exec(text) ?? [];
  return [Number(major), Number(minor)];
}
