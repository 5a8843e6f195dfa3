import { expect, test } from '@jest/globals';
import { type Logger, pino } from 'pino';
import { startService } from '../support/service.ts';

function listeningLog(): { log: Logger; lines: string[]; requests: () => Record<string, unknown>[] } {
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => lines.push(line) });
  const requests = () =>
    lines.map((line) => JSON.parse(line) as Record<string, unknown>).filter(({ msg }) => msg === 'request');
  return { log, lines, requests };
}

test('each request has one log line with its action, subject, status and reason, and without token, query or body', async () => {
  const { log, lines, requests } = listeningLog();
  const service = await startService({ log });
  const token = await service.token('CLIENT', [], { sub: 'somebody' });
  const foreign = await service.tenant('Foreign');

  const answers = [
    await service.ask('GET /api/clients?limit=7', { token }),
    await service.ask(`GET /api/clients/${foreign.clients}`, { token }),
    await service.ask('POST /api/auth/login', { body: { token } }),
    await service.ask('GET /api/clients'),
  ];
  // After the service has closed, the log has the line of every response.
  await service.close();

  expect(requests()).toEqual([
    expect.objectContaining({ action: 'GET /api/clients', status: 200, subject: 'somebody' }),
    expect.objectContaining({
      action: `GET /api/clients/${foreign.clients}`,
      status: 403,
      subject: 'somebody',
      code: 'ERROR_FORBIDDEN',
      reason: `no access to client ${foreign.clients}`,
    }),
    expect.objectContaining({ action: 'POST /api/auth/login', status: 200, subject: 'somebody' }),
    expect.objectContaining({
      action: 'GET /api/clients',
      status: 401,
      code: 'ERROR_UNAUTHORIZED',
      reason: 'no token',
    }),
  ]);
  expect(requests().map(({ requestId }) => requestId)).toEqual(answers.map(({ headers }) => headers['x-request-id']));
  const [, , signature = ''] = token.split('.');
  expect(lines.join()).not.toMatch(new RegExp(`${signature}|limit=7|Bearer`));
});

test('the log has the cause of a request that fails because the database is unreachable, and its answer does not', async () => {
  const { log, requests } = listeningLog();
  const service = await startService({ log, databaseUrl: () => 'postgres://nobody@127.0.0.1:1/none' });
  const answer = await service.ask('GET /api/clients', { token: await service.token('CLIENT') });
  await service.close();

  expect(requests()).toEqual([
    expect.objectContaining({
      level: 50,
      status: 503,
      code: 'ERROR_UNAVAILABLE',
      reason: 'the database is out of reach',
      err: expect.objectContaining({
        message: expect.stringContaining('ECONNREFUSED'),
        stack: expect.stringContaining('    at '),
      }),
    }),
  ]);
  expect(answer.text).not.toContain('ECONNREFUSED');
});
