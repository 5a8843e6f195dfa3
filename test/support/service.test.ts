import { expect, test } from '@jest/globals';
import { expectRefusal, startService } from './service.ts';
import { forSuite } from './suite.ts';

const service = await forSuite(startService());
const tenant = await service.tenant('Own');
const refused = await service.ask(`PUT /api/clients/${tenant.clients}`, {
  token: await service.token('CLIENT', [tenant.clients]),
  body: { company_name: 'Other' },
});

test('expectRefusal accepts a refused request with its audit record, and returns the record', async () => {
  const record = await expectRefusal(service, refused, 'ERROR_FORBIDDEN', { client_context: tenant.clients });
  expect(record).toMatchObject({ resource_type: 'clients', resource_id: tenant.clients });
});

test.each([
  ['without an audit record', { ...refused, headers: { ...refused.headers, 'x-request-id': 'other' } }, {}],
  ['whose audit record names another client', refused, { client_context: null }],
  ['with another status', { ...refused, status: 401 }, {}],
])('expectRefusal fails for a refused request %s', async (_which, answer, said) => {
  await expect(expectRefusal(service, answer, 'ERROR_FORBIDDEN', said)).rejects.toThrow('expect');
});
