import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { healthOnce } from '../support/health.ts';
import type { Answer } from '../support/http.ts';
import { expectError, startService } from '../support/service.ts';
import type { Service } from '../support/service.ts';
import { createTestDatabase } from '../support/database.ts';
import { layFaultyLine } from '../support/faulty-line.ts';
import type { FaultyLine } from '../support/faulty-line.ts';
import { forSuite } from '../support/suite.ts';

let service: Service;
afterEach(() => service.close());

function expectUnavailable(answer: Answer): void {
  expectError(answer, 'ERROR_UNAVAILABLE');
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
}

const PROBES = ['GET /', 'GET /health'];

describe('the service answers requests while its database is unreachable', () => {
  let cable: FaultyLine;
  beforeEach(async () => {
    const postgres = await forSuite(createTestDatabase());
    cable = await layFaultyLine({ port: Number(new URL(postgres.apiUrl).port) });
    service = await startService({ postgres, databaseUrl: (url) => cable.through(url) });
  });
  afterEach(() => {
    cable.close();
  });

  test('requests and /health get 503 while the database is unreachable, and 200 without a restart afterwards', async () => {
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
    cable.become('cut');
    for (const [line, question] of needy) expectUnavailable(await service.ask(line, question));
    for (const line of PROBES) expectUnavailable(await healthOnce(service, 503, line));
    cable.become('whole');
    for (const [line, question] of needy) expect((await service.ask(line, question)).status).toBe(200);
    for (const line of PROBES) await healthOnce(service, 200, line);
  });

  test('refusals, 400 and 404 are answered while the database is unreachable, and the refusals are audited later', async () => {
    const { clients } = await service.tenant('Foreign');
    const token = await service.token('CLIENT', []);
    cable.become('cut');
    const unauthorized = await service.ask('GET /api/clients');
    expectError(unauthorized, 'ERROR_UNAUTHORIZED');
    const forbidden = await service.ask(`GET /api/clients/${clients}`, { token });
    expectError(forbidden, 'ERROR_FORBIDDEN');
    expectError(await service.ask('GET /api/clients/1', { token }), 'ERROR_VALIDATION');
    expectError(await service.ask('GET /api/nothing', { token }), 'ERROR_NOT_FOUND');
    cable.become('whole');
    const ids = [unauthorized, forbidden].map(({ headers }) => headers['x-request-id']);
    const text = 'select request_id from public.audit_logs where request_id = any ($1) order by created_at';
    while ((await service.admin(text, [ids])).length < ids.length);
    expect(await service.admin(text, [ids])).toEqual(ids.map((id) => ({ request_id: id })));
  });
});
