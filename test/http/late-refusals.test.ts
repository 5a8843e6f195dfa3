import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { askRaw } from '../support/http.ts';
import { expectError, expectRefusal, startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';

/* These tests check refusals that the service must decide before it parses a path, a filter or a body. */

const service = await forSuite(startService());
const own = await service.furnishedTenant('Menuiserie Petit');
const foreign = await service.furnishedTenant('Scierie Grand');

test('a malformed percent escape in the path gets 403 if the caller’s role lacks the right, and the refusal is audited', async () => {
  const token = await service.token('CLIENT', [own.clients]);
  const answer = await service.ask('PUT /api/users/%ZZ', { token, body: {} });
  await expectRefusal(service, answer, 'ERROR_FORBIDDEN');
});

describe('a filter by a record of another tenant gets 403', () => {
  const filters = [
    ['reclamations', 'site_id', 'sites'],
    ['cadastres', 'site_id', 'sites'],
    ['invoices', 'reclamation_id', 'reclamations'],
  ] as const;

  test.each(filters)(
    'a list of %s filtered by a %s of another tenant gets 403, and the refusal is audited with that tenant’s client',
    async (path, filter, table) => {
      const token = await service.token('ACCOUNT_MANAGER', [own.clients]);
      const answer = await service.ask(`GET /api/${path}?${filter}=${foreign[table]}`, { token });
      await expectRefusal(service, answer, 'ERROR_FORBIDDEN', { client_context: foreign.clients });
      const mine = await service.ask(`GET /api/${path}?${filter}=${own[table]}`, { token });
      expect(mine.status).toBe(200);
    },
  );

  test('a list of claims filtered by an unknown site is empty', async () => {
    const token = await service.token('ACCOUNT_MANAGER', [own.clients]);
    const answer = await service.ask('GET /api/reclamations?site_id=00000000-0000-4000-8000-000000000000', {
      token,
    });
    expect([answer.status, answer.json]).toEqual([200, []]);
  });
});

test('an unknown query parameter gets 400 before the body is parsed', async () => {
  const token = await service.token('ACCOUNT_MANAGER', [own.clients]);
  const answer = await service.ask('POST /api/sites?colour=red', { token, body: 'not JSON' });
  expectError(answer, 'ERROR_VALIDATION', { colour: 'is not known here' });
});

test('a body with an unknown field gets 400 even if it names another tenant’s client', async () => {
  const token = await service.token('ACCOUNT_MANAGER', [own.clients]);
  const body = { client_id: foreign.clients, site_name: 'Entrepôt', colour: 1 };
  expectError(await service.ask('POST /api/sites', { token, body }), 'ERROR_VALIDATION');
});

describe('a caller who sends Expect: 100-continue learns of a refusal before sending the body', () => {
  const line = (token: string) =>
    `POST /api/sites HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${token}Expect: 100-continue\r\n` +
    'Content-Type: application/json\r\nContent-Length: 300000\r\n\r\n';

  test('a caller who sends Expect: 100-continue gets 401 or 413 without being asked for the body', async () => {
    expect(await askRaw(service.port, line(''))).toMatch(/^HTTP\/1\.1 401 /);
    const token = await service.token('ADMIN');
    expect(await askRaw(service.port, line(`Authorization: Bearer ${token}\r\n`))).toMatch(/^HTTP\/1\.1 413 /);
  });

  test('a caller who sends Expect: 100-continue is asked for the body if the service will read it', async () => {
    const token = await service.token('ADMIN');
    const body = JSON.stringify({ client_id: own.clients, site_name: 'Nouveau' });
    const socket = connect(service.port, '127.0.0.1').setEncoding('utf8');
    socket.write(line(`Authorization: Bearer ${token}\r\n`).replace('300000', String(Buffer.byteLength(body))));
    const [first] = (await once(socket, 'data')) as [string];
    expect(first).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    socket.write(body);
    const [second] = (await once(socket, 'data')) as [string];
    expect(second).toMatch(/^HTTP\/1\.1 201 /);
    socket.destroy();
  });
});
