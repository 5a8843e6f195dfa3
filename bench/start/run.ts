/**
 * `npm run bench -- start` measures the time from a start of the service to the first response, and the memory of an
 * idle and of a loaded process.
 */
import { loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { createTestKey, startTestIdentity } from '../../test/support/identity.ts';
import { UNLIMITED, accepting } from '../../test/support/world.ts';
import { build, startBuilt } from '../built.ts';
import { databaseOfSize } from '../database.ts';
import type { BenchServer } from '../database.ts';
import { median, short, table } from '../measure.ts';
import { load } from '../peers/load.ts';
import { question } from '../peers/run.ts';
import { processorTime } from '../processor-time.ts';
import { keep } from '../results.ts';
import { residentMemory } from '../scale/memory.ts';

const CLAIMS = 20_000;
/**
 * The background work after a start of the service ends within this many milliseconds. No response waits for that work.
 */
const IDLE_MS = 2_000;
const LOAD_SECONDS = 5;

interface StartOptions {
  readonly rounds: number;
  /** The number of requests to the service after which its memory is measured again. */
  readonly requests: number;
}

export async function measureStart(server: BenchServer, { rounds, requests }: StartOptions): Promise<void> {
  await build();
  const adminUrl = await databaseOfSize(server, CLAIMS);
  const identity = await startTestIdentity();
  identity.publish(await createTestKey('RS256'));
  const { client, token } = await question(adminUrl, identity, CLAIMS);
  const environment = { ...accepting(identity), ...UNLIMITED };
  const starts = [];
  let after = Number.NaN;
  try {
    for (let round = 1; round <= rounds; round += 1) {
      const service = await startBuilt(adminUrl, 'bench_start', environment);
      try {
        const url = `${service.origin}/api/clients/${client}/reclamations?limit=20`;
        const headers = { authorization: `Bearer ${token}` };
        const response = await fetch(url, { headers });
        if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
        await response.text();
        const cpuMs = processorTime([service.pid]);
        await delay(IDLE_MS);
        starts.push({ cpuMs, idle: residentMemory(service.pid) });
        if (round < rounds) continue;
        for (let sent = 0; sent < requests; ) {
          sent += (await load({ url, method: 'GET', headers }, LOAD_SECONDS)).requests;
          console.error(`${sent} of ${requests} requests`);
        }
        after = residentMemory(service.pid);
      } finally {
        await service.stop();
      }
    }
  } finally {
    await identity.stop();
  }
  const megabytes = (bytes: number): string => short(bytes / 1e6);
  console.log(`\nA start of the service, at a load of ${loadavg().map(short).join(', ')}\n`);
  console.log(
    table(
      ['', ''],
      [
        ['processor time to the first answer, s', short(median(starts.map(({ cpuMs }) => cpuMs)) / 1_000)],
        ['memory idle, MB', megabytes(median(starts.map(({ idle }) => idle)))],
        [`memory after ${requests} requests, MB`, megabytes(after)],
      ],
    ),
  );
  console.log(`\nRaw figures: ${await keep('start', adminUrl, { starts, requests, after })}`);
}
