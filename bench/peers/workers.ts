/** `npm run bench -- workers`: the same question as of the peers, asked of one and of two workers. */
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { createTestKey, startTestIdentity } from '../../test/support/identity.ts';
import { databaseOfSize } from '../database.ts';
import type { BenchServer } from '../database.ts';
import { keep } from '../results.ts';
import type { Peer } from './peer.ts';
import { question, rounds, tableOf } from './run.ts';
import { startNest, startPostGraphile, startService } from './services.ts';

/** A list of a client costs the same in a database of any size, and this one is made in a moment. */
const CLAIMS = 20_000;
const ONE = 'one process';

export async function measureWorkers(
  server: BenchServer,
  options: { readonly rounds: number; readonly seconds: number },
): Promise<void> {
  const adminUrl = await databaseOfSize(server, CLAIMS);
  const identity = await startTestIdentity();
  identity.publish(await createTestKey('RS256'));
  const peers: Peer[] = [];
  try {
    const asked = await question(adminUrl, identity, CLAIMS);
    const here = { folder: join(import.meta.dirname, '..', '..'), adminUrl };
    peers.push(await startService(ONE, 'bench_one', here, asked, { WORKERS: '1' }));
    peers.push(await startService('two workers', 'bench_two', here, asked, { WORKERS: '2' }));
    peers.push(await startNest(asked));
    peers.push(await startPostGraphile(asked));
    const samples = await rounds(peers, options);
    const load = loadavg().map((one) => one.toFixed(1));
    console.log(`\nOne and two workers, at a load of ${load.join(', ')}\n\n${tableOf(samples, ONE)}\n`);
    console.log(`Raw figures: ${await keep('workers', adminUrl, Object.fromEntries(samples))}`);
  } finally {
    for (const peer of peers) await peer.stop();
    await identity.stop();
  }
}
