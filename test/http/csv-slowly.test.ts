import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, beforeAll, afterAll, describe, expect, test } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import { pino } from 'pino';
import { expectError, startService } from '../support/service.ts';
import type { Service, Tenant } from '../support/service.ts';
import { until } from '../support/upload.ts';

/*
 * In these tests the reader of a list as CSV pauses or hangs up. The list is larger than the sockets between the
 * service and the reader can buffer.
 */

const MANY = 3_000;
const csv = { accept: 'text/csv' };

let service: Service;
let own: Tenant;
let token: string;
let lines: Record<string, unknown>[] = [];
const open = new Set<IncomingMessage>();

async function start(streams: Parameters<typeof startService>[0] = {}): Promise<void> {
  const log = pino({}, { write: (line) => lines.push(JSON.parse(line) as Record<string, unknown>) });
  service = await startService({ ...streams, log });
  own = await service.tenant('Boulangerie Martin');
  token = await service.token('CLIENT', [own.clients]);
  await service.sql`insert into public.sites (client_id, site_name, address)
   select ${own.clients}, 'Site ' || n, repeat('x', 9000) from generate_series(1, ${MANY}) as n`;
}

/** Begins the download of a list as CSV, and reads nothing of its body. */
async function begin(by = token, path = '/api/sites'): Promise<IncomingMessage> {
  const headers = { ...csv, authorization: `Bearer ${by}` };
  return new Promise((resolve, reject) => {
    request({ port: service.port, path, headers, agent: false }, (response) => {
      open.add(response);
      response.on('error', () => undefined);
      resolve(response);
    })
      .once('error', reject)
      .end();
  });
}

const names = (file: string): string[] =>
  parse<Record<string, string>>(file, { bom: true, columns: true }).map(({ site_name }) => site_name ?? '');

async function connectionsInUse(): Promise<number> {
  const [found] = await service.admin(
    `select count(*)::int as count from pg_stat_activity
     where datname = current_database() and application_name like 'taxclaims-api%' and state <> 'idle'`,
  );
  return Number(found?.['count']);
}

/** Reads the response to its end; returns whether the service aborted the response. */
async function brokenOff(response: IncomingMessage): Promise<boolean> {
  response.resume();
  await new Promise((resolve) => response.once('close', resolve));
  return !response.complete;
}

afterEach(() => {
  for (const response of open) response.destroy();
  open.clear();
  lines = [];
});

describe('a CSV download has all rows as of its start, and frees its connection at its end', () => {
  beforeAll(() => start());
  afterAll(() => service.close());

  test('a CSV download has all rows as of its start, although rows are changed, deleted and added during the download', async () => {
    const response = await begin(token, '/api/sites?sort=created_at');
    await service.sql`delete from public.sites where client_id = ${own.clients} and site_name like 'Site %5'`;
    await service.admin(`update public.sites set site_name = 'Autre' where client_id = $1`, [own.clients]);
    await service.sql`insert into public.sites (client_id, site_name) values (${own.clients}, 'Nouveau')`;
    const file = await text(response);
    expect(response.complete).toBe(true);
    expect(names(file).toSorted()).toEqual(
      ['Siège', ...Array.from({ length: MANY }, (_, index) => `Site ${index + 1}`)].toSorted(),
    );
    await until(async () => (await connectionsInUse()) === 0);
  });

  test('a caller’s second long CSV download gets 429, another caller’s gets 503 at the service’s limit, and a short one gets 200', async () => {
    const first = await begin();
    const again = await service.ask('GET /api/sites', { token, headers: csv });
    expectError(again, 'ERROR_RATE_LIMITED');
    expect(again.headers['retry-after']).toBe('5');
    const other = await service.token('CLIENT', [own.clients], { sub: 'idp|somebody else' });
    const full = await service.ask('GET /api/sites', { token: other, headers: csv });
    expectError(full, 'ERROR_UNAVAILABLE');
    expect(full.headers['retry-after']).toBe('5');
    const short = await service.ask('GET /api/clients', { token, headers: csv });
    expect(short.status).toBe(200);
    expect(names(await text(first)).length).toBeGreaterThan(2_000);
    await until(async () => (await connectionsInUse()) === 0);
    const next = await begin(other);
    await text(next);
    expect(next.complete).toBe(true);
  });

  test('a CSV download whose reader hangs up gives its database connection back', async () => {
    const response = await begin();
    expect(await connectionsInUse()).toBe(1);
    response.destroy();
    await until(async () => (await connectionsInUse()) === 0);
    await text(await begin());
  });
});

describe('the service aborts a CSV download whose reader is too slow', () => {
  afterEach(() => service.close());

  test('a CSV download is aborted if its reader pauses longer than maxReaderPauseMs, and frees its connection', async () => {
    await start({ streams: { maxReaderPauseMs: 100 } });
    const response = await begin();
    await until(async () => (await connectionsInUse()) === 0);
    expect(await brokenOff(response)).toBe(true);
    const reason = 'nobody asked for the next rows in 100 ms';
    await until(() => lines.some((line) => line['reason'] === reason));
    expect(lines.find((line) => line['reason'] === reason)).toMatchObject({
      action: 'GET /api/sites',
      aborted: true,
    });
    const { status } = await service.ask('GET /api/clients', { token, headers: csv });
    expect(status).toBe(200);
  });

  test('a CSV download is aborted if it takes longer than maxStreamMs, and frees its connection', async () => {
    await start({ streams: { maxStreamMs: 1_000 } });
    const response = await begin();
    await until(async () => (await connectionsInUse()) === 0);
    expect(await brokenOff(response)).toBe(true);
    await until(() => lines.some((line) => line['code'] === 'ERROR_UNAVAILABLE' && line['aborted'] === true));
    expect((await service.ask('GET /api/clients', { token, headers: csv })).status).toBe(200);
  });
});
