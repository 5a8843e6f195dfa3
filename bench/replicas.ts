/**
 * `npx node bench/replicas.ts [rounds] [seconds]`: what a read costs the primary, and its caller, where standbys answer
 * it: this service with no replica, with one and with two, in turns, all of them on this machine.
 */
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../src/embedded/postgres/free-port.ts';
import { createScratchCluster, createStandby } from '../test/faults/cluster.ts';
import type { Cluster } from '../test/faults/cluster.ts';
import { asDatabase } from '../test/support/database.ts';
import { createFolder } from '../test/support/embedded.ts';
import { createTestKey, startTestIdentity } from '../test/support/identity.ts';
import { databaseOfSize } from './database.ts';
import { median, short, table } from './measure.ts';
import { COMPARED, compared } from './peers/compared.ts';
import type { HttpPeerOptions } from './peers/http-peer.ts';
import type { Peer, Sample } from './peers/peer.ts';
import { question, rounds } from './peers/run.ts';
import { startService } from './peers/services.ts';
import type { Asked } from './peers/services.ts';
import { keep } from './results.ts';

const CLAIMS = 20_000;
const MOST = 2;
const NONE = 'no replica';
const HEAD = ['', ...COMPARED, 'standbys’ µs', 'answered there'];
/** Which part of its reads a replica answered, by the peer's name, in each turn. */
const shares = new Map<string, number[]>();
const [, , asRounds = '7', asSeconds = '4'] = process.argv;

const folder = await createFolder();
const identity = await startTestIdentity();
identity.publish(await createTestKey('RS256'));
const clusters: Cluster[] = [];
try {
  const primary = await createScratchCluster(join(folder.path, 'primary'));
  clusters.push(primary);
  const adminUrl = await databaseOfSize({ ...primary, close: () => Promise.resolve() }, CLAIMS);
  const standbys: Cluster[] = [];
  for (let number = 1; number <= MOST; number += 1)
    standbys.push(await createStandby(primary, join(folder.path, `standby${number}`)));
  clusters.unshift(...standbys);
  const asked = await question(adminUrl, identity, CLAIMS);
  const kinds = new Map([
    ['a claim', claimOf(asked)],
    ['20 claims of a client', {}],
  ]);
  const all: Record<string, Record<string, readonly Sample[]>> = {};
  const rows: string[][] = [];
  for (const [kind, request] of kinds) {
    shares.clear();
    const samples = await measure(asked, standbys, request);
    all[kind] = Object.fromEntries(samples);
    rows.push(...rowsOf(kind, samples));
  }
  const load = loadavg().map(short).join(', ');
  console.log(`\n${table(HEAD, rows)}\n\nLoad of the machine: ${load}`);
  console.log(`Raw figures: ${await keep('replicas', adminUrl, all)}`);
} finally {
  await identity.stop();
  for (const cluster of clusters) await cluster.remove();
  await folder.remove();
}

/** One claim by its id, in place of the list. */
function claimOf({ token, expected }: Asked): Partial<HttpPeerOptions> {
  const [id = ''] = expected;
  return {
    request: (origin) => ({
      ...{ url: `${origin}/api/reclamations/${id}`, method: 'GET' },
      headers: { authorization: `Bearer ${token}` },
    }),
    ids: (body) => [(body as { id: string }).id],
    expected: [id],
  };
}

async function measure(
  asked: Asked,
  standbys: readonly Cluster[],
  request: Partial<HttpPeerOptions>,
): Promise<ReadonlyMap<string, readonly Sample[]>> {
  const peers: Peer[] = [];
  try {
    for (let count = 0; count <= standbys.length; count += 1)
      peers.push(await startWith(standbys.slice(0, count), asked, request));
    return await rounds(peers, { rounds: Number(asRounds), seconds: Number(asSeconds) });
  } finally {
    for (const peer of peers) await peer.stop();
  }
}

/** The service that reads from these, and counts how much of it they answered. */
async function startWith(
  standbys: readonly Cluster[],
  asked: Asked,
  request: Partial<HttpPeerOptions>,
): Promise<Peer> {
  const here = { folder: join(import.meta.dirname, '..'), adminUrl: asked.adminUrl };
  const name = standbys.length === 0 ? NONE : `${standbys.length} of them`;
  const metricsPort = await freePort(0);
  const environment = (url: string) => ({
    METRICS_PORT: String(metricsPort),
    DATABASE_REPLICA_URLS: standbys.map(({ port }) => at(url, port)).join(),
  });
  const peer = await startService(name, `bench_replicas_${standbys.length}`, here, asked, environment, {
    ...request,
    standbys: standbys.map(({ port }) => at(asked.adminUrl, port)),
  });
  if (standbys.length === 0) return peer;
  return {
    ...peer,
    async measure(seconds) {
      const before = await answered(metricsPort);
      const sample = await peer.measure(seconds);
      const since = await answered(metricsPort);
      const [there, all] = [since.there - before.there, since.all - before.all];
      shares.set(name, [...(shares.get(name) ?? []), there / all]);
      return sample;
    },
  };
}

function at(url: string, port: number): string {
  const address = new URL(asDatabase(url, new URL(url).pathname.slice(1)));
  address.port = String(port);
  return address.href;
}

/** How many reads a replica has answered, of how many. */
async function answered(metricsPort: number): Promise<{ there: number; all: number }> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  const counts = [...text.matchAll(/^taxclaims_replica_reads_total\{outcome="([^"]*)"\} (\d+)$/gm)];
  const of = (chosen: typeof counts): number => chosen.reduce((sum, [, , count]) => sum + Number(count), 0);
  return { there: of(counts.filter(([, outcome]) => outcome === 'replica')), all: of(counts) };
}

function rowsOf(kind: string, samples: ReadonlyMap<string, readonly Sample[]>): string[][] {
  return [...samples].map(([name, taken]) => {
    const there = [
      short(median(taken.map((sample) => Number(sample.standbyMicroseconds)))),
      `${(100 * median(shares.get(name) ?? [])).toFixed(0)} %`,
    ];
    return [
      `${kind}, ${name}`,
      ...compared(taken, samples.get(NONE) ?? []),
      ...(name === NONE ? ['', ''] : there),
    ];
  });
}
