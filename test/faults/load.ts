import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import '../support/end-with-parent.ts';
import { HEALTH, HUNG_MS } from './journal.ts';
import type { Entry } from './journal.ts';
import { exchange } from './load/exchange.ts';
import { Gate } from './load/gate.ts';
import { OPERATIONS } from './load/operations.ts';
import type { Plan, Tally } from './load/people.ts';
import { randomFrom } from './load/random.ts';
import { changeAndUseRights } from './load/rights.ts';
import { Worker } from './load/worker.ts';
import type { Shared } from './load/worker.ts';

/*
 * A load test sends its requests from a process of its own. Each tenant has several simulated users, and each user
 * sends one correct request after the other. The process writes each request with its answer to a file. The test
 * controls the process by IPC messages, for example to send many requests at once or to end.
 */

export type Order =
  | { readonly burst: number; readonly operations: readonly string[] }
  | { readonly newToken: string }
  | { readonly hold: true }
  | { readonly resume: true }
  | { readonly finish: true };

const HEALTH_EVERY_MS = 200;

const [, , planFile = ''] = process.argv;
const plan = JSON.parse(await readFile(planFile, 'utf8')) as Plan;
const journal = createWriteStream(plan.journal, { flags: 'a' });
const gate = new Gate(plan.people.length);
/** Each tenant has one claim before the load test begins. */
const tallies = new Map<string, Tally>(plan.people.map(({ tenant }) => [tenant.word, { claims: 1 }]));
let serial = 0;
const shared: Shared = {
  plan,
  tenants: [...new Map(plan.people.map(({ tenant }) => [tenant.word, tenant])).values()],
  nextSerial: () => (serial += 1),
  newToken: undefined,
  gate,
  tallyOf({ word }) {
    const tally = tallies.get(word);
    if (tally === undefined) throw new Error(`the plan of the load test has no tenant ${word}`);
    return tally;
  },
  stoppedAt: undefined,
  write: (entry: Entry) => journal.write(`${JSON.stringify(entry)}\n`),
};
const workers = plan.people.map((person, index) => new Worker(shared, person, plan.seed * 1_000 + index));
const underWay: Promise<void>[] = workers.map((worker) => worker.run());
underWay.push(watchHealth());
if (plan.rights !== undefined) {
  underWay.push(
    changeAndUseRights({
      ...{
        plan: plan.rights,
        ports: plan.ports ?? [plan.port],
        tenants: shared.tenants,
        random: randomFrom(plan.seed),
      },
      isOver: () => shared.stoppedAt !== undefined,
      nextSerial: () => shared.nextSerial(),
      write: (entry) => {
        shared.write(entry);
      },
    }),
  );
}

process.on('message', (order: Order) => {
  if ('newToken' in order) shared.newToken = order.newToken;
  else if ('burst' in order) underWay.push(burst(order.burst, order.operations));
  else if ('hold' in order) void hold();
  else if ('resume' in order) gate.open();
  else void finish();
});

/**
 * Tells the parent process that the load test has ended, once every request was answered and written to the file of
 * requests.
 */
async function hold(): Promise<void> {
  await gate.close();
  await new Promise((written) => journal.write('', written));
  process.send?.({ held: true });
}

async function burst(count: number, names: readonly string[]): Promise<void> {
  const operations = OPERATIONS.filter(({ name }) => names.includes(name));
  const able = plan.people.flatMap(({ role }, index) => {
    const worker = workers[index];
    const its = operations.filter(({ roles }) => roles.includes(role));
    return worker === undefined ? [] : its.map((operation) => ({ worker, operation }));
  });
  const sent = Array.from({ length: count }, async (_, index) => {
    const one = able[index % able.length];
    await one?.worker.send(one.operation, true);
  });
  await Promise.all(sent);
}

/**
 * Sends requests to /health at a fixed interval, even while earlier ones have no answer yet. A slow answer therefore
 * delays no later request.
 */
async function watchHealth(): Promise<void> {
  const asked: Promise<void>[] = [];
  while (shared.stoppedAt === undefined) {
    asked.push(askHealth());
    await delay(HEALTH_EVERY_MS);
  }
  await Promise.all(asked);
}

async function askHealth(): Promise<void> {
  const at = Date.now();
  const sent = {
    port: plan.port,
    line: 'GET /health',
    headers: {},
    agent: false,
    boundMs: HUNG_MS,
    hangUpMs: undefined,
  } as const;
  const { status, lost, ms, headers } = await exchange(sent);
  const isKnown = lost !== null || status === 200 || status === 503;
  shared.write({
    ...{ serial: shared.nextSerial(), attempt: 1, operation: HEALTH, kind: 'read', keyed: false },
    ...{ table: null, record: null, marker: null, status, lost, requestId: null, expected: isKnown },
    ...{ retryAfter: headers['retry-after'] !== undefined, answer: null, foreign: [], defect: null, at, ms },
  });
}

async function finish(): Promise<void> {
  shared.stoppedAt ??= Date.now();
  gate.open();
  await Promise.all(underWay);
  journal.end();
  await finished(journal);
  process.disconnect();
}
