import { describe, expect, test } from '@jest/globals';
import { expectRefusal, startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';

const service = await forSuite(startService({ trustProxy: 1 }));
const foreign = await service.furnishedTenant('Foreign');

const readForeign = async (claims: Record<string, unknown> = {}, headers: Record<string, string> = {}) => {
  const token = await service.token('CLIENT', [], claims);
  return service.ask(`GET /api/clients/${foreign.clients}`, { token, headers });
};

describe('the audit record of a refusal says who was refused what, and why', () => {
  test('the audit record of a refusal has its actor, action, resource, client, reason, address and user agent', async () => {
    const answer = await readForeign({ sub: 'idp|7' }, { 'user-agent': 'curl', 'x-forwarded-for': '203.0.113.7' });
    await expectRefusal(service, answer, 'ERROR_FORBIDDEN', {
      user_id: null,
      actor: 'idp|7',
      action: `GET /api/clients/${foreign.clients}`,
      resource_type: 'clients',
      resource_id: foreign.clients,
      client_context: foreign.clients,
      success: false,
      error_message: `no access to client ${foreign.clients}`,
      ip_address: '203.0.113.7',
      user_agent: 'curl',
    });
  });

  test('the audit record of a refusal does not contain the query, which might have a secret', async () => {
    const answer = await service.ask('GET /api/clients?token=secret');
    const record = await expectRefusal(service, answer, 'ERROR_UNAUTHORIZED');
    expect(record).toMatchObject({ action: 'GET /api/clients' });
    expect(JSON.stringify(record)).not.toContain('secret');
  });

  test.each([
    ['that is not a UUID', 'auth0|1'],
    ['of 250 characters', 's'.repeat(250)],
    ['with blanks and punctuation', `CN=O'Neil, O="Cabinet"`],
  ])('the audit record of a refusal stores a caller’s subject %s unchanged', async (_what, sub) => {
    await expectRefusal(service, await readForeign({ sub }), 'ERROR_FORBIDDEN', {
      actor: sub,
    });
  });

  test.each([
    ['with a port', '203.0.113.7:4711', '203.0.113.7'],
    ['in brackets', '[2001:db8::1]:4711', '2001:db8::1'],
    ['that is not an IP address', 'nonsense', null],
  ])(
    'the audit record of a refusal for a caller address %s has the valid IP address or null',
    async (_what, address, recorded) => {
      const answer = await readForeign({}, { 'x-forwarded-for': address });
      await expectRefusal(service, answer, 'ERROR_FORBIDDEN', { ip_address: recorded });
    },
  );
});

test('responses with 200, 400, 404 and 405 leave no audit record of a refusal', async () => {
  const token = await service.token('ADMIN');
  const answers = [
    await service.ask('GET /api/clients', { token }),
    await service.ask('GET /api/clients/1', { token }),
    await service.ask('GET /api/nothing', { token }),
    await service.ask('DELETE /api/clients', { token }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 400, 404, 405]);
  const ids = answers.map(({ headers }) => headers['x-request-id']);
  expect(await service.admin('select from public.audit_logs where request_id = any ($1)', [ids])).toEqual([]);
});
