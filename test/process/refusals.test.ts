import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { dateRefusal, formatSpoolLine } from '../../src/db/refusals/refusal.ts';
import { connected, createTestDatabase } from '../support/database.ts';
import { ask } from '../support/http.ts';
import type { Answer } from '../support/http.ts';
import { addressOf, portOf, start } from '../support/process.ts';
import type { Started } from '../support/process.ts';
import { folderForSuite, forSuite } from '../support/suite.ts';
import { filesIn, until } from '../support/upload.ts';
import { adminOf } from '../support/world.ts';

/*
 * These tests check that each refused request has one audit record, even if the service is killed or its disk is full.
 */

const folder = await folderForSuite();
const database = await forSuite(createTestDatabase());

const admin = adminOf(database.adminUrl);

const startIn = (name: string): Started =>
  start(folder, {
    ...{ PORT: '0', DATABASE_URL: database.apiUrl, DATA_DIR: join(folder, name), LOG_LEVEL: 'warn' },
    ...{ AUTH_ISSUER: 'https://idp.example', AUTH_AUDIENCE: 'api', RATE_LIMIT_PER_IP: '1000000' },
  });

const askAsStranger = (port: number, times: number): Promise<Answer[]> =>
  Promise.all(Array.from({ length: times }, () => ask(port, 'GET /api/clients')));

/**
 * @throws Error if the status is not 401. A service that cannot store the audit record of a refusal in time answers 503
 * instead.
 */
async function refusalOf(port: number): Promise<Answer> {
  const answer = await ask(port, 'GET /api/clients');
  if (answer.status !== 401) throw new Error(`the service answered ${answer.status}`);
  return answer;
}

const idOf = ({ headers }: Answer): string => String(headers['x-request-id']);

const spooled = (name: string): Promise<string[]> =>
  filesIn(join(folder, name, 'refusals')).then((names) => names.filter((one) => one.endsWith('.refusals')));

/**
 * Waits until no audit record of a refused request is still on the disk only, and expects one audit record for each of
 * the given answers.
 */
async function expectRecorded(name: string, answers: readonly Answer[]): Promise<void> {
  expect(answers.length).toBeGreaterThan(0);
  await until(async () => (await spooled(name)).length === 0);
  const rows = await admin('select request_id from public.audit_logs where request_id = any ($1)', [answers.map(idOf)]);
  expect(rows.map((row) => row['request_id']).sort()).toEqual(answers.map(idOf).sort());
}

async function end(started: Started): Promise<void> {
  started.signal('SIGTERM');
  expect(await started.ended).toBe(0);
}

/** Prevents writes to the audit log until `work` is done. */
async function whileLocked<T>(work: () => Promise<T>): Promise<T> {
  const holder = await connected(database.adminUrl);
  await holder.query('begin; lock table public.audit_logs in exclusive mode');
  const result = await work();
  await holder.end();
  return result;
}

test('if a service is killed while it refuses requests, another instance with the same DATA_DIR writes the audit record of each refusal', async () => {
  const [killed, other] = [startIn('shared'), startIn('shared')];
  const [port, otherPort] = [await portOf(killed), await portOf(other)];
  const answers = await whileLocked(async () => {
    const asked = Array.from({ length: 20 }, () => refusalOf(otherPort));
    await Promise.any(asked);
    const asking = Array.from({ length: 400 }, () => refusalOf(port));
    await Promise.any(asking);
    killed.signal('SIGKILL');
    const results = await Promise.allSettled([...asked, ...asking]);
    return results.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  });
  await expectRecorded('shared', answers);
  await end(other);
});

test('a service with a full disk answers a request without a token with 503 if it cannot store the audit record, and with 401 if it can', async () => {
  // The shell’s ulimit allows the service only files of at most 16 KiB. Its writes then fail as on a full disk.
  const child = spawn('bash', ['-c', `ulimit -f 16; exec "$0" "$1"`, process.execPath, MAIN], {
    env: {
      ...{ PATH: process.env['PATH'], PORT: '0', DATABASE_URL: database.apiUrl, LOG_LEVEL: 'silent' },
      ...{ DATA_DIR: join(folder, 'full'), AUTH_ISSUER: 'https://idp.example', AUTH_AUDIENCE: 'api' },
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  await until(() => /"api":".*\n/.test(out));
  const port = Number(new URL(/"api":"([^"]+)"/.exec(out)?.[1] ?? '').port);
  const answers = await whileLocked(async () => {
    const all: Answer[] = [];
    while (!all.some(({ status }) => status === 503)) all.push(...(await askAsStranger(port, 5)));
    return all;
  });
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401, 503]));
  const refused = answers.filter(({ status }) => status === 401);
  await until(async () => {
    const [last] = await askAsStranger(port, 1);
    if (last?.status === 401) refused.push(last);
    return (await spooled('full')).length === 0;
  });
  await expectRecorded('full', refused);
  child.kill('SIGTERM');
  await once(child, 'close');
});

const MAIN = join(import.meta.dirname, '..', '..', 'src', 'main.ts');

test('when a service starts with 12,000 audit records of refused requests on its disk, it moves them into the audit log and deletes their files', async () => {
  const slot = join(folder, 'many', 'refusals', '0');
  await mkdir(slot, { recursive: true });
  const clock = { run: 'before', monotonicMs: 0, machineMs: Date.now(), databaseMs: null };
  const refusal = {
    ...{ requestId: 'many', actor: 'anonymous', action: 'GET /api/clients', resourceType: 'unknown' },
    ...{ reason: 'no token', ipAddress: '192.0.2.1', userAgent: 'x'.repeat(100) },
  };
  for (const file of ['1', '2', '3']) {
    const lines = Array.from({ length: 4_000 }, () => formatSpoolLine(dateRefusal(refusal, clock)));
    await writeFile(join(slot, `${file}.refusals`), lines.join(''));
  }
  const started = startIn('many');
  await addressOf(started);
  await until(async () => (await spooled('many')).length === 0);
  expect(await admin(`select count(*)::integer from public.audit_logs where request_id = 'many'`)).toEqual([
    { count: 12_000 },
  ]);
  expect(await readFile(join(slot, 'lock'), 'utf8')).toBe('');
  await end(started);
});
