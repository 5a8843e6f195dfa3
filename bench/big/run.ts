/**
 * `npm run bench -- big` measures what large requests cost the service, and how long a small request of another caller
 * waits at the same time.
 */
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { withAdmin } from '../../test/support/database.ts';
import { createTestKey, startTestIdentity } from '../../test/support/identity.ts';
import { UNLIMITED, accepting } from '../../test/support/world.ts';
import { build, startBuilt } from '../built.ts';
import { databaseOfSize } from '../database.ts';
import type { BenchServer } from '../database.ts';
import { short, table } from '../measure.ts';
import { backendsOf, processorTime } from '../processor-time.ts';
import { keep } from '../results.ts';
import { askedOf } from '../scale/asked.ts';
import { forgetPeak, peakMemory, residentMemory } from '../scale/memory.ts';
import { copyOf } from '../scale/run.ts';
import { callMeanwhile } from './meanwhile.ts';
import { WORKS } from './works.ts';

const NAME = 'taxclaims_bench_big';
const LOGIN = 'bench_big';
const WARM_UP_MS = 5_000;

interface Figures {
  readonly seconds: number;
  readonly nodeMs: number;
  readonly postgresMs: number;
  readonly memoryBefore: number;
  readonly memoryPeak: number;
  /** The most processor time that one turn of the service’s event loop used, in milliseconds. */
  readonly turnMs: number;
  /** How many milliseconds each small request of the other caller took. */
  readonly waits: readonly number[];
  readonly note: string;
}

export async function measureBig(server: BenchServer, claims: number): Promise<void> {
  await build();
  // The benchmark writes into a copy of the filled database, so that the original has the same rows in every run.
  const adminUrl = await copyOf(server, await databaseOfSize(server, claims), NAME);
  const identity = await startTestIdentity();
  identity.publish(await createTestKey('RS256'));
  const folder = await mkdtemp(join(tmpdir(), 'taxclaims-turns-'));
  const turns = join(folder, 'longest');
  const service = await startBuilt(adminUrl, LOGIN, {
    ...{ ...accepting(identity), ...UNLIMITED, BENCH_TURNS: turns },
    NODE_OPTIONS: `--import ${join(import.meta.dirname, 'turns.ts')}`,
  });
  const figures = new Map<string, Figures>();
  try {
    const asked = await askedOf(adminUrl, identity, claims);
    const exp = Math.floor(Date.now() / 1_000) + 24 * 3_600;
    const admin = await identity.token({ sub: 'big', role: 'ADMIN', client_access: [], exp });
    const subject = { ...asked, origin: service.origin, admin };
    const other = callMeanwhile(
      `${service.origin}/api/clients/${asked.client}/reclamations?limit=20`,
      await asked.token(1),
    );
    try {
      await delay(WARM_UP_MS);
      for (const { name, run } of WORKS) {
        await other.waits();
        await longestTurn(service.pid, turns);
        const backends = await withAdmin(adminUrl, (one) => backendsOf(one, LOGIN));
        const memoryBefore = residentMemory(service.pid);
        forgetPeak(service.pid);
        const [node, postgres] = [processorTime([service.pid]), processorTime(backends)];
        const begun = performance.now();
        const result = await run(subject);
        const note = typeof result === 'string' ? result : '';
        figures.set(name, {
          seconds: (performance.now() - begun) / 1_000,
          nodeMs: processorTime([service.pid]) - node,
          postgresMs: processorTime(backends) - postgres,
          ...{ memoryBefore, memoryPeak: peakMemory(service.pid) },
          waits: await other.waits(),
          turnMs: await longestTurn(service.pid, turns),
          note,
        });
        console.error(`${name}: done ${note}`);
      }
    } finally {
      other.stop();
    }
    console.log(
      `\nLarge requests on a database of ${claims} claims, at a load of ${loadavg().map(short).join(', ')}\n`,
    );
    console.log(tableOf(figures));
    console.log(`\nRaw figures: ${await keep('big', adminUrl, { claims, ...Object.fromEntries(figures) })}`);
  } finally {
    await service.stop();
    await identity.stop();
    await rm(folder, { recursive: true });
    await withAdmin(server.adminUrl, (one) => one.query(`drop database ${NAME} with (force)`));
  }
}

/** Returns the processor time of the longest turn of the service’s event loop since the last call, in milliseconds. */
async function longestTurn(pid: number, file: string): Promise<number> {
  await rm(file, { force: true });
  process.kill(pid, 'SIGUSR2');
  while (!existsSync(file)) await delay(5);
  return Number(await readFile(file, 'utf8'));
}

function tableOf(figures: ReadonlyMap<string, Figures>): string {
  return table(
    [
      ...['', 's', 'Node s', 'Postgres s', 'memory before, MB', 'at most', 'longest turn, ms'],
      ...['another caller, ms: median', 'p99', 'longest', 'answers'],
    ],
    [...figures].map(([name, { seconds, nodeMs, postgresMs, memoryBefore, memoryPeak, turnMs, waits }]) => {
      const sorted = waits.toSorted((a, b) => a - b);
      const at = (share: number): number =>
        sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
      return [
        name,
        ...[seconds, nodeMs / 1_000, postgresMs / 1_000, memoryBefore / 1e6, memoryPeak / 1e6, turnMs].map(short),
        ...[at(0.5), at(0.99), at(1)].map(short),
        String(waits.length),
      ];
    }),
  );
}
