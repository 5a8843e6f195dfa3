import { expect, test } from '@jest/globals';
import { openManagementClient } from '../../../src/identity/management/client.ts';
import { openProviderWorld } from '../../support/provider.ts';
import { forSuite } from '../../support/suite.ts';

const A = 'aaaaaaaa-0000-4000-8000-000000000001';

const world = await forSuite(openProviderWorld());

async function ask(method: string, path: string, body?: object, token = world.provider.management.token) {
  const answer = await fetch(`${world.provider.management.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

test('the embedded identity provider returns a user by the URL-encoded subject, in the format of Auth0', async () => {
  const { email } = await world.person({ subject: 'auth0|a/b c', client_access: [], role: 'CLIENT' });
  expect(await ask('GET', `/users/${encodeURIComponent('auth0|a/b c')}`)).toEqual({
    status: 200,
    body: {
      ...{ user_id: 'auth0|a/b c', email, email_verified: true, name: expect.any(String), blocked: false },
      app_metadata: { role: 'CLIENT', client_access: [] },
    },
  });
});

test('the service can send users’ rights to the management interface of the embedded identity provider', async () => {
  await world.person({ subject: 'idp|told', role: 'TAX_SPECIALIST', is_active: false });
  const management = openManagementClient(world.provider.management);
  const time = { deadline: Infinity, signal: new AbortController().signal };
  const rights = { role: 'TAX_SPECIALIST', clientAccess: [], isActive: false };
  await management.send('idp|told', rights, time);
  expect(await management.read('idp|told', time)).toEqual(rights);
  await expect(management.send('idp|nobody', rights, time)).rejects.toMatchObject({ kind: 'unknown' });
});

test('a change of rights through the embedded identity provider’s management interface does not change the stored user', async () => {
  const { id } = await world.person({ subject: 'idp|own', role: 'CLIENT' });
  const stored = () => world.admin('select * from public.users where id = $1', [id]);
  const before = await stored();
  const late = { app_metadata: { role: 'TAX_SPECIALIST', client_access: [A] }, blocked: true };
  expect((await ask('PATCH', '/users/idp%7Cown', late)).body).toMatchObject({
    ...{ app_metadata: { role: 'CLIENT', client_access: [] }, blocked: false },
  });
  expect(await stored()).toEqual(before);
});

test.each([
  ['without a token', '/users/idp%7Cnobody', '', 401, 'invalid_token'],
  ['with a wrong token', '/users/idp%7Cnobody', 'x', 401, 'invalid_token'],
  ['for an unknown user', '/users/idp%7Cnobody', undefined, 404, 'inexistent_user'],
])(
  'the management interface of the embedded identity provider refuses a wrong request, such as one %s',
  async (_, path, token, status, errorCode) => {
    expect(await ask('GET', path, undefined, token)).toMatchObject({ status, body: { errorCode } });
  },
);
