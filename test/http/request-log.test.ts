import { expect, test } from '@jest/globals';
import { pino } from 'pino';
import { startService } from '../support/service.ts';

test('each request leaves one line that says who, what and why not, and no token, query or body', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => lines.push(line) });
  const service = await startService({ log });
  const token = await service.token('CLIENT', [], { sub: 'somebody' });
  const foreign = await service.tenant('Foreign');

  const answers = [
    await service.ask('GET /api/clients?limit=7', { token }),
    await service.ask(`GET /api/clients/${foreign.clients}`, { token }),
    await service.ask('POST /api/auth/login', { body: { token } }),
    await service.ask('GET /api/clients'),
  ];
  // Ends when the last response has, and so its line.
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
  expect(requests.map(({ requestId }) => requestId)).toEqual(
    answers.map(({ headers }) => headers['x-request-id']),
  );
  const [, , signature = ''] = token.split('.');
  expect(lines.join()).not.toMatch(new RegExp(`${signature}|limit=7|Bearer`));
});
