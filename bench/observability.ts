/**
 * `npx node bench/observability.ts` measures what metrics and traces cost a request, with and without each, in turns.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '../src/demo/postgres/free-port.ts';
import { createTestKey, startTestIdentity } from '../test/support/identity.ts';
import { databaseOfSize, openBenchServer } from './database.ts';
import { median, short, table } from './measure.ts';
import type { Peer, Sample } from './peers/peer.ts';
import { question, rounds } from './peers/run.ts';
import { startService } from './peers/services.ts';
import { keep } from './results.ts';

/**
 * The number of claims in the database, which does not change the measured cost: each request concerns one client, and
 * a client has no more claims in a larger database.
 */
const CLAIMS = 20_000;
const OFF = 'without metrics and traces';
const [, , asRounds = '7', asSeconds = '4'] = process.argv;

/** A collector that accepts spans and discards them. */
const collector = createServer((request, response) => {
  request.resume().once('end', () => response.writeHead(200).end('{}'));
}).listen(0, '127.0.0.1');
await once(collector, 'listening');
const { port } = collector.address() as AddressInfo;

const server = await openBenchServer(process.env);
const identity = await startTestIdentity();
identity.publish(await createTestKey('RS256'));
const peers: Peer[] = [];
try {
  const adminUrl = await databaseOfSize(server, CLAIMS);
  const asked = await question(adminUrl, identity, CLAIMS);
  const here = { folder: join(import.meta.dirname, '..'), adminUrl };
  const variants: readonly [name: string, login: string, environment: Readonly<Record<string, string>>][] = [
    [OFF, 'bench_unobserved', {}],
    ['METRICS_PORT', 'bench_figures', { METRICS_PORT: String(await findFreePort(0)) }],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'bench_traces', { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` }],
  ];
  for (const [name, login, environment] of variants)
    peers.push(await startService(name, login, here, asked, environment));
  const samples = await rounds(peers, { rounds: Number(asRounds), seconds: Number(asSeconds) });
  console.log(tableOf(samples));
  console.log(`Raw figures: ${await keep('observability', adminUrl, Object.fromEntries(samples))}`);
  console.log(`Load of the machine: ${loadavg().map(short).join(', ')}`);
} finally {
  for (const peer of peers) await peer.stop();
  await identity.stop();
  await server.close();
  collector.close();
}

function tableOf(samples: ReadonlyMap<string, readonly Sample[]>): string {
  const off = samples.get(OFF) ?? [];
  const ratio = (taken: readonly Sample[], of: (sample: Sample) => number | undefined): string =>
    short(median(taken.map((sample, round) => Number(of(sample)) / Number(off[round] && of(off[round])))));
  const middle = (taken: readonly Sample[], of: (sample: Sample) => number | undefined): string =>
    short(median(taken.map((sample) => Number(of(sample)))));
  return table(
    ['', 'rate, as a ratio', 'Node µs', 'as a ratio', 'Postgres µs', 'as a ratio'],
    [...samples].map(([name, taken]) => [
      name,
      ratio(taken, (sample) => sample.requestsPerSecond),
      middle(taken, (sample) => sample.nodeMicroseconds),
      ratio(taken, (sample) => sample.nodeMicroseconds),
      middle(taken, (sample) => sample.postgresMicroseconds),
      ratio(taken, (sample) => sample.postgresMicroseconds),
    ]),
  );
}
