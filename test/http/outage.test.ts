import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type pg from 'pg';
import { healthOnce } from '../support/health.ts';
import type { Answer } from '../support/http.ts';
import { expectError, startService } from '../support/service.ts';
import type { Service } from '../support/service.ts';
import { connected } from '../support/database.ts';

let service: Service;
afterEach(() => service.close());

function expectUnavailable(answer: Answer): void {
  expectError(answer, 'ERROR_UNAVAILABLE');
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
}

describe('a request whose table is locked', () => {
  let lock: pg.Client;

  async function lockClients(): Promise<void> {
    lock = await connected(service.postgres.adminUrl);
    await lock.query('begin; lock table public.clients in access exclusive mode');
  }
  afterEach(() => lock.end());

  test('is told to come back when its connection is killed, and the next one is served', async () => {
    service = await startService();
    await lockClients();
    const token = await service.token('CLIENT');
    const answer = service.ask('GET /api/clients', { token });
    const kill = `
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and application_name like 'taxclaims-api%'`;
    while ((await service.admin(kill)).length === 0);
    expectUnavailable(await answer);
    await lock.query('rollback');
    expect((await service.ask('GET /api/clients', { token })).status).toBe(200);
  });

  test('is told to come back when its time is over, and the next one is served', async () => {
    service = await startService({ statementTimeoutMs: 100 });
    await lockClients();
    const token = await service.token('CLIENT');
    expectUnavailable(await service.ask('GET /api/clients', { token }));
    await lock.query('rollback');
    expect((await service.ask('GET /api/clients', { token })).status).toBe(200);
  });
});

const PROBES = ['GET /', 'GET /health'];

/** A way to the database that can be cut and mended. */
interface Cable {
  via(url: string): string;
  cut(): void;
  mend(): void;
  close(): void;
}

async function layCable(): Promise<Cable> {
  const near = new Set<Socket>();
  let whole = true;
  let database = new URL('postgres://nowhere');
  const server = createServer((socket) => {
    if (!whole) {
      socket.destroy();
      return;
    }
    near.add(socket);
    const far = connect(Number(database.port), database.hostname);
    socket.pipe(far).pipe(socket);
    for (const end of [socket, far]) {
      end.on('error', () => end.destroy());
      end.on('close', () => {
        far.destroy();
        socket.destroy();
      });
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = (): void => {
    whole = false;
    for (const socket of near) socket.destroy();
  };
  return {
    via: (url) => {
      database = new URL(url);
      const through = new URL(url);
      through.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
      return through.href;
    },
    cut,
    mend: () => {
      whole = true;
    },
    close: () => {
      cut();
      server.close();
    },
  };
}

describe('a database out of reach', () => {
  let cable: Cable;
  beforeEach(async () => {
    cable = await layCable();
    service = await startService({ databaseUrl: (url) => cable.via(url) });
  });
  afterEach(() => {
    cable.close();
  });

  test('is 503 for what needs it and for health, and nothing has to be restarted', async () => {
    const { clients } = await service.tenant('Own');
    const token = await service.token('CLIENT', [clients]);
    const needy = [
      ['GET /api/clients', { token }],
      [`GET /api/clients/${clients}`, { token }],
      ['GET /api/auth/profile', { token }],
      ['GET /api-json', { token }],
      ['POST /api/auth/login', { body: { token } }],
    ] as const;
    for (const [line, question] of needy) expect((await service.ask(line, question)).status).toBe(200);
    for (const line of PROBES) await healthOnce(service, 200, line);
    cable.cut();
    for (const [line, question] of needy) expectUnavailable(await service.ask(line, question));
    for (const line of PROBES) expectUnavailable(await healthOnce(service, 503, line));
    cable.mend();
    for (const [line, question] of needy) expect((await service.ask(line, question)).status).toBe(200);
    for (const line of PROBES) await healthOnce(service, 200, line);
  });

  test('does not keep from an answer what does not need it, and its refusals are recorded later', async () => {
    const { clients } = await service.tenant('Foreign');
    const token = await service.token('CLIENT', []);
    cable.cut();
    const unauthorized = await service.ask('GET /api/clients');
    expectError(unauthorized, 'ERROR_UNAUTHORIZED');
    const forbidden = await service.ask(`GET /api/clients/${clients}`, { token });
    expectError(forbidden, 'ERROR_FORBIDDEN');
    expectError(await service.ask('GET /api/clients/1', { token }), 'ERROR_VALIDATION');
    expectError(await service.ask('GET /api/nothing', { token }), 'ERROR_NOT_FOUND');
    cable.mend();
    const ids = [unauthorized, forbidden].map(({ headers }) => headers['x-request-id']);
    const text = 'select request_id from public.audit_logs where request_id = any ($1) order by created_at';
    while ((await service.admin(text, [ids])).length < ids.length);
    expect(await service.admin(text, [ids])).toEqual(ids.map((id) => ({ request_id: id })));
  });
});
