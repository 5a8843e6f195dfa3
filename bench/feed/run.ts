/**
 * `npm run bench -- feed` measures how much open streams of changes slow other callers down, and whether each change is
 * delivered.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { withAdmin } from '../../test/support/database.ts';
import { createTestKey, startTestIdentity } from '../../test/support/identity.ts';
import { UNLIMITED, accepting } from '../../test/support/world.ts';
import { build, startBuilt } from '../built.ts';
import { databaseOfSize } from '../database.ts';
import type { BenchServer } from '../database.ts';
import { median, short, table } from '../measure.ts';
import { backendsOf, processorTime } from '../processor-time.ts';
import { keep } from '../results.ts';
import { residentMemory } from '../scale/memory.ts';
import { copyOf } from '../scale/run.ts';
import type { Reader, Delivery } from './readers.ts';
import type { Sending, Sent } from './sender.ts';

const NAME = 'taxclaims_bench_feed';
const LOGIN = 'bench_feed';
const CLAIMS = 20_000;
const READS_PER_SECOND = 100;
const CHANGES_PER_SECOND = 50;
const USERS = 40;
const STREAMS_OF_A_USER = 5;
const CLIENTS_OF_A_USER = 20;

/**
 * The phases of the benchmark `feed`, with and without changes of claims and open streams. The benchmark measures them
 * in turns.
 */
const PHASES = [
  { name: 'neither', changesPerSecond: 0, readers: false },
  { name: '50 changes a second', changesPerSecond: CHANGES_PER_SECOND, readers: false },
  { name: '50 changes a second, 200 readers', changesPerSecond: CHANGES_PER_SECOND, readers: true },
];

interface Figures extends Sent {
  readonly nodeMs: number;
  readonly postgresMs: number;
  readonly memory: number;
  readonly delivery?: Delivery;
}

export async function measureFeed(
  server: BenchServer,
  { rounds, seconds }: { readonly rounds: number; readonly seconds: number },
): Promise<void> {
  await build();
  const adminUrl = await copyOf(server, await databaseOfSize(server, CLAIMS), NAME);
  const identity = await startTestIdentity();
  identity.publish(await createTestKey('RS256'));
  const { rows: owned } = await withAdmin(adminUrl, (admin) =>
    admin.query<{ client: string; claim: string }>(
      'select client_id as client, min(id::text) as claim from public.reclamations group by client_id order by client_id',
    ),
  );
  const tokenOf = (name: string, of: typeof owned): Promise<string> =>
    identity.token({
      ...{ sub: name, email: `${name}@example.org`, email_verified: true, name, role: 'ACCOUNT_MANAGER' },
      ...{ client_access: of.map(({ client }) => client), exp: Math.floor(Date.now() / 1_000) + 24 * 3_600 },
    });
  const readers: Reader[] = [];
  for (let user = 0; user < USERS; user += 1) {
    const own = owned.filter((_, n) => (n + user) % (owned.length / CLIENTS_OF_A_USER) === 0);
    const reader = { token: await tokenOf(`reader-${user}`, own), claims: own.map(({ claim }) => claim) };
    readers.push(...Array.from({ length: STREAMS_OF_A_USER }, () => reader));
  }
  const service = await startBuilt(adminUrl, LOGIN, { ...accepting(identity), ...UNLIMITED });
  const sending: Sending = {
    ...{ origin: service.origin, token: await tokenOf('sender', owned), client: owned[0]?.client ?? '' },
    claims: owned.map(({ claim }) => claim),
  };
  const sender = processOf('sender.ts', JSON.stringify(sending));
  const listeners = processOf('readers.ts', service.origin);
  const figures = PHASES.map(({ name }) => ({ name, taken: [] as Figures[] }));
  try {
    for (let round = 0; round <= rounds; round += 1) {
      for (const [index, { changesPerSecond, readers: areThere }] of PHASES.entries()) {
        if (areThere) await listeners.ask({ open: readers });
        const backends = await withAdmin(adminUrl, (admin) => backendsOf(admin, LOGIN));
        const [node, postgres] = [processorTime([service.pid]), processorTime(backends)];
        const sent = await sender.ask<Sent>({ seconds, readsPerSecond: READS_PER_SECOND, changesPerSecond });
        const spent = {
          nodeMs: (processorTime([service.pid]) - node) / seconds,
          postgresMs: (processorTime(backends) - postgres) / seconds,
          memory: residentMemory(service.pid),
        };
        const delivery = areThere ? await listeners.ask<Delivery>({ changed: sent.changed }) : undefined;
        // The first round of the benchmark does not count, because it prepares statements and stores users.
        if (round > 0) figures[index]?.taken.push({ ...sent, ...spent, ...(delivery && { delivery }) });
      }
      console.error(`round ${round} of ${rounds}, at a load of ${loadavg().map(short).join(', ')}`);
    }
    console.log(`\n${READS_PER_SECOND} reads a second, ${rounds} rounds of ${seconds} s each\n`);
    console.log(tableOf(figures));
    console.log(
      `\n${deliverySummary(figures.flatMap(({ taken }) => taken.flatMap(({ delivery }) => delivery ?? [])))}`,
    );
    console.log(`\nRaw figures: ${await keep('feed', adminUrl, figures)}`);
  } finally {
    sender.stop();
    listeners.stop();
    await service.stop();
    await identity.stop();
    await withAdmin(server.adminUrl, (admin) => admin.query(`drop database ${NAME} with (force)`));
  }
}

function processOf(file: string, argument: string) {
  const child = fork(join(import.meta.dirname, file), [argument]);
  const ended = once(child, 'exit').then(() => {
    throw new Error(`the process of ${file} has ended`);
  });
  ended.catch(() => undefined);
  return {
    async ask<T>(message: object): Promise<T> {
      const answer = once(child, 'message');
      child.send(message);
      const [result] = (await Promise.race([answer, ended])) as [T];
      return result;
    },
    stop(): void {
      if (child.connected) child.disconnect();
    },
  };
}

function at(share: number, waits: readonly number[]): number {
  return waits.toSorted((a, b) => a - b)[Math.floor(waits.length * share)] ?? Number.NaN;
}

function tableOf(figures: readonly { readonly name: string; readonly taken: readonly Figures[] }[]): string {
  const first = figures[0]?.taken ?? [];
  return table(
    [
      '',
      'reads: p50, ms',
      'p99, ms',
      'ratio of p99',
      'by round',
      'changes: p99, ms',
      'Node ms a second',
      'Postgres ms',
      'MB',
    ],
    figures.map(({ name, taken }) => {
      const all = (of: readonly Figures[]): number[] => of.flatMap(({ reads }) => reads);
      const ratios = taken.map(({ reads }, n) => at(0.99, reads) / at(0.99, first[n]?.reads ?? []));
      return [
        name,
        ...[at(0.5, all(taken)), at(0.99, all(taken)), at(0.99, all(taken)) / at(0.99, all(first))].map(short),
        ratios.map(short).join(' '),
        short(
          at(
            0.99,
            taken.flatMap(({ changes }) => changes),
          ),
        ),
        ...[(one: Figures) => one.nodeMs, (one: Figures) => one.postgresMs, (one: Figures) => one.memory / 1e6].map(
          (of) => short(median(taken.map(of))),
        ),
      ];
    }),
  );
}

function deliverySummary(delivery: readonly Delivery[]): string {
  const sum = (of: (one: Delivery) => number): number => delivery.reduce((total, one) => total + of(one), 0);
  const delays = delivery.flatMap((one) => one.delays);
  return [
    `Events due ${sum(({ due }) => due)}, missed ${sum(({ missed }) => missed)}, told twice ${sum(({ twice }) => twice)};`,
    `from the write to the event ${short(at(0.5, delays))} ms (p50), ${short(at(0.99, delays))} ms (p99)`,
  ].join(' ');
}
