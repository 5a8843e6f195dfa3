import { afterAll, expect, test } from '@jest/globals';
import { compactToken, createTestKey } from '../support/identity.ts';
import { startVerification } from '../support/verification.ts';

const SECONDS = Date.UTC(2030, 0, 1) / 1000;

const v = await startVerification();

afterAll(() => v.identity.stop());

test('the service refuses a bearer text that is not a token', async () => {
  const good = await v.identity.token();
  const [header = '', payload = '', signature = ''] = good.split('.');
  const other = (await v.identity.token({ role: 'ADMIN' })).split('.')[1] ?? '';
  const hostile = [
    ...['', '.', '..', '...', 'Bearer', '\0', '💥.💥.💥', 'null', '{}', `${good}.`, `${good}\0`, ` ${good}`],
    ...[`${header}.${payload}.`, `${header}.${payload}`, `.${payload}.${signature}`, `${header}..${signature}`],
    ...[`${header}.${other}.${signature}`, `${header}.${payload}.${signature.slice(0, -4)}`, `${good}.${good}`],
    ...[`${header}.${payload}.${signature}.x.y`, 'a'.repeat(300_000), `${good}${'A'.repeat(300_000)}`],
  ];
  for (const token of hostile) await v.refusalOf(token);
  await expect(v.verifier.verify(good)).resolves.toMatchObject({ subject: 'idp|somebody' });
});

test('the audit reason of a refused token says what is wrong with the token', async () => {
  const stranger = { key: await createTestKey() };
  const kid = v.identity.key.kid;
  const reasons = {
    'the token is not a signed JSON Web Token': 'no.to.ken',
    'the token is longer than 262144 characters': 'a'.repeat(262_145),
    'the token is not signed with an accepted algorithm': compactToken({ alg: 'none' }, v.adminClaims()),
    'the token is of another type than an access token': await v.identity.token({}, { header: { typ: 'id+jwt' } }),
    'the token is malformed (ERR_JWT_INVALID)': await v.identity.token({}, { payload: '[]' }),
    'the token is signed with a key that the provider does not publish': await v.identity.token({}, stranger),
    "the token's signature is wrong": await v.identity.token({}, { ...stranger, header: { kid } }),
    'the token has expired': await v.identity.token({ exp: SECONDS - 60 }),
    'the token\'s "exp" claim is missing': await v.identity.token({ exp: undefined }),
    'the token\'s "iat" claim is missing': await v.identity.token({ iat: undefined }),
    'the token\'s "iat" claim is not accepted': await v.identity.token({ iat: SECONDS + 60 }),
    'the token\'s "aud" claim is not accepted': await v.identity.token({ aud: 'another-api' }),
    'the "role" claim has none of the four roles': await v.identity.token({ role: 'admin' }),
    'the token has no "role" claim, which AUTH_ROLE_CLAIM names': await v.identity.token({ role: undefined }),
    'the token has no "client_access" claim, which AUTH_CLIENT_ACCESS_CLAIM names': await v.identity.token({
      client_access: undefined,
    }),
    'the "client_access" claim is neither an array nor a text': await v.identity.token({ client_access: {} }),
    'the "client_access" claim is an empty text: no client is []': await v.identity.token({ client_access: ' ' }),
    'the "client_access" claim has something that is no UUID': await v.identity.token({ client_access: 'all' }),
    'the "client_access" claim is a text that is no JSON array': await v.identity.token({ client_access: '["' }),
  };
  for (const [reason, token] of Object.entries(reasons)) expect((await v.refusalOf(token)).message).toBe(reason);
});
