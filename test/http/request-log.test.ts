import { expect, test } from '@jest/globals';
import { pino } from 'pino';
import { startService } from '../support/service.ts';

test('each request has one log line with its action, subject, status and reason, and without token, query or body', async () => {
  const lines: string[] = [];
  const service = await startService({ log: pino({}, { write: (line) => lines.push(line) }) });
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

  const requests = lines
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ msg }) => msg === 'request');
  expect(requests).toEqual([
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
  expect(requests.map(({ requestId }) => requestId)).toEqual(answers.map(({ headers }) => headers['x-request-id']));
  const [, , signature = ''] = token.split('.');
  expect(lines.join()).not.toMatch(new RegExp(`${signature}|limit=7|Bearer`));
});
