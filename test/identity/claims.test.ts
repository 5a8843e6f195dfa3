import { afterAll, expect, test } from '@jest/globals';
import * as field from '../../src/http/fields.ts';
import { hostileClaims } from '../support/hostile-claims.ts';
import { createTestKey } from '../support/identity.ts';
import { startVerification, withVerification } from '../support/verification.ts';
import type { Verification } from '../support/verification.ts';

const SECONDS = Date.UTC(2030, 0, 1) / 1000;
const A = 'aaaaaaaa-0000-4000-8000-000000000001';
const B = 'bbbbbbbb-0000-0000-0000-000000000002';

const v = await startVerification();

afterAll(() => v.identity.stop());

const hostile = Object.entries(hostileClaims(SECONDS, v.identity.issuer, v.identity.audience));
test.each([
  ...hostile.flatMap(([claim, values]) => values.map((value) => [claim, value] as const)),
  ...([
    ['exp', SECONDS - 30],
    ['nbf', SECONDS + 31],
    ['iat', SECONDS + 31],
  ] as const),
])('a token whose %s claim is %j is refused', async (claim, value) => {
  await v.refusalOf(await v.identity.token({ [claim]: value }));
  await expect(v.callerOf()).resolves.toMatchObject({ role: 'CLIENT' });
});

test('a token whose role and client access stand only under __proto__ is refused', async () => {
  const { role, client_access, ...rest } = v.adminClaims();
  const payload = `${JSON.stringify(rest).slice(0, -1)},"__proto__":${JSON.stringify({ role, client_access })}}`;
  await v.refusalOf(await v.identity.token({}, { payload }));
  const honest = JSON.stringify(v.adminClaims());
  await expect(v.callerOf({}, { payload: honest })).resolves.toMatchObject({ role: 'ADMIN' });
});

test('a token without a role or client access is refused even if Object.prototype has that property', async () => {
  for (const [name, value] of Object.entries({ role: 'ADMIN', client_access: [A] })) {
    const token = await v.identity.token({ [name]: undefined });
    Object.defineProperty(Object.prototype, name, { value, configurable: true });
    await v.refusalOf(token).finally(() => Reflect.deleteProperty(Object.prototype, name));
  }
});

test('a token with an infinite iat or exp is refused', async () => {
  for (const times of ['"iat":1,"exp":1e999', '"iat":-1e999,"exp":9e9', '"iat":1e999,"exp":9e9']) {
    const payload = `${JSON.stringify({ ...v.adminClaims(), iat: undefined, exp: undefined }).slice(0, -1)},${times}}`;
    await v.refusalOf(await v.identity.token({}, { payload }));
  }
});

test('a token whose payload is not a JSON object is refused', async () => {
  const nested = await v.identity.token();
  for (const payload of ['', 'null', '[]', '"text"', '{"iss":', nested, '\xff\xfe']) {
    await v.refusalOf(await v.identity.token({}, { payload, header: { cty: 'JWT' } }));
  }
});

test('a token for several audiences is accepted if this service is one of them', async () => {
  const aud = ['https://idp.example/userinfo', v.identity.audience];
  await expect(v.callerOf({ aud })).resolves.toMatchObject({ role: 'CLIENT' });
});

test('a token is accepted if its exp, nbf or iat is wrong by no more than the clock tolerance', async () => {
  const edges = [{ exp: SECONDS - 29 }, { nbf: SECONDS + 30 }, { iat: SECONDS + 30 }];
  for (const times of edges) await expect(v.callerOf(times)).resolves.toMatchObject({ role: 'CLIENT' });
});

test('the ids of a caller’s clients are in lower case, sorted and without repetition, and their digest includes the role', async () => {
  const caller = await v.callerOf({ role: 'TAX_SPECIALIST', client_access: [B, A.toUpperCase(), A, B] });
  expect(caller.clientAccess).toEqual([A, B]);
  // The expected digest is the md5 of 'TAX_SPECIALIST:' and the two ids with a comma between them, computed with psql.
  expect(caller.accessDigest).toBe('f5aa5a7b2ff484ba0528e4e8accace12');
});

test('the service accepts any printable ASCII characters in a token’s subject', async () => {
  for (const sub of ['auth0|5f7c8ec7c33c6c004bbafe82', 'CN=Ada Lovelace, O=Cabinet', 'x', '~'.repeat(255)])
    await expect(v.callerOf({ sub })).resolves.toMatchObject({ subject: sub });
  // Two subjects that differ only in letter case are two users, unless they are UUIDs.
  await expect(v.callerOf({ sub: 'Ada' })).resolves.not.toMatchObject(await v.callerOf({ sub: 'ada' }));
});

test('the service ignores the email of a token if POST /api/users would refuse that email', async () => {
  const foreign = ['zoé@b.example', 'İnfo@b.example', 'a\u200b@b.example', 'a b@b.example'];
  const invalid = ['nobody', 'a@b', '@b.example', 'a@', '<a@b.example>', 'a..b@b.example', 'a@b.example,c@d.example'];
  for (const email of [...foreign, ...invalid]) {
    expect((await v.callerOf({ email })).email).toBeUndefined();
    expect(field.email.safeParse(email).success).toBe(false);
  }
  // People type blanks around an email; a token of an identity provider has none.
  expect((await v.callerOf({ email: 'a@b.example ' })).email).toBeUndefined();
  await expect(v.callerOf({ email: "O'Neil+x@b.example" })).resolves.toMatchObject({ email: "O'Neil+x@b.example" });
});

test('a caller’s user id is the token’s subject if that is a UUID, and otherwise a UUID derived from issuer and subject', async () => {
  await expect(v.callerOf({ sub: A })).resolves.toMatchObject({ userId: A, subject: A });
  const first = await v.callerOf({ sub: 'auth0|1' });
  expect(first.userId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  await expect(v.callerOf({ sub: 'auth0|1', name: 'again' })).resolves.toMatchObject({ userId: first.userId });
  await expect(v.callerOf({ sub: 'auth0|2' })).resolves.not.toMatchObject({ userId: first.userId });
});

test('the service ignores the email and the name of a token if Postgres cannot store the text', async () => {
  const good = { email: 'a@example.com', name: 'Zoé' };
  await expect(v.callerOf(good)).resolves.toMatchObject(good);
  for (const bad of ['', '\n\u00a0', 'x'.repeat(256), 'nul\0', 'half\udc00', 7, null, ['a@example.com']]) {
    const caller = await v.callerOf({ email: bad, name: bad });
    expect([caller.email, caller.name]).toEqual([undefined, undefined]);
  }
});

test('the service ignores the email of a token unless the token says that the email is verified', async () => {
  const email = 'victim@example.com';
  for (const email_verified of [true, 'true'])
    await expect(v.callerOf({ email, email_verified })).resolves.toMatchObject({ email });
  for (const email_verified of [undefined, null, false, 'false', 'TRUE', 1, [true]]) {
    await expect(v.callerOf({ email, email_verified })).resolves.toMatchObject({ email: undefined });
  }
});

test('with AUTH_EMAILS_VERIFIED the service uses the email of a token unless the token says that the email is not verified', async () => {
  const email = 'ada@example.com';
  const verify = async (v: Verification): Promise<void> => {
    for (const email_verified of [undefined, true, 'true']) {
      await expect(v.callerOf({ email, email_verified })).resolves.toMatchObject({ email });
    }
    for (const email_verified of [null, false, 'false', 0]) {
      await expect(v.callerOf({ email, email_verified })).resolves.toMatchObject({ email: undefined });
    }
  };
  await withVerification([await createTestKey()], verify, { emailsVerified: true });
});

test('the service accepts a token that has only the required claims, and a token with additional claims of any type', async () => {
  const needed = await v.callerOf({ email_verified: undefined });
  expect(needed).toMatchObject({ role: 'CLIENT', email: undefined, name: undefined });
  for (const claim of ['name', 'email', 'email_verified', 'roles', 'scope', 'jti', 'cnf', 'x5c'])
    for (const value of [null, 7, 'nonsense', true, [], [null], {}, { toString: 1 }])
      await expect(v.callerOf({ email_verified: undefined, name: undefined, [claim]: value })).resolves.toMatchObject({
        ...{ subject: needed.subject, role: needed.role, email: undefined },
      });
});

test('the time at which a caller’s token was issued is rounded down to a whole second', async () => {
  await expect(v.callerOf({ iat: SECONDS - 0.5 })).resolves.toMatchObject({ issuedAt: SECONDS - 1 });
});

test('the service reads a caller’s role and clients only from the token’s claims with the configured names', async () => {
  const names = { roleClaim: 'https://example.com/role', clientAccessClaim: 'https://example.com/access' };
  const claims = { [names.roleClaim]: 'ADMIN', [names.clientAccessClaim]: [A] };
  const verify = async (v: Verification): Promise<void> => {
    const caller = await v.callerOf({ ...claims, role: 'CLIENT', client_access: [B] });
    expect(caller).toMatchObject({ role: 'ADMIN', clientAccess: [A] });
    await v.refusalOf(await v.identity.token({ role: 'CLIENT', client_access: [B] }));
  };
  await withVerification([await createTestKey()], verify, names);
});

test('a list with exactly one of the four roles gives that role, beside any other roles and groups', async () => {
  for (const role of [
    ['CLIENT'],
    ['offline_access', 'CLIENT', 'firm/claims'],
    ['CLIENT', 'CLIENT'],
    ['admin', 7, 'CLIENT'],
  ])
    await expect(v.callerOf({ role })).resolves.toMatchObject({ role: 'CLIENT' });
  const refusal = await v.refusalOf(await v.identity.token({ role: ['CLIENT', 'other', 'ADMIN'] }));
  expect(refusal.message).toBe('the "role" claim has more than one of the four roles');
});

test('the clients of a token may be a text: a JSON array, or ids with commas between them', async () => {
  for (const client_access of [JSON.stringify([B, A]), ` ["${A}", "${B}"]`, `${A},${B}`, `${B.toUpperCase()} , ${A}`])
    await expect(v.callerOf({ client_access })).resolves.toMatchObject({ clientAccess: [A, B] });
  await expect(v.callerOf({ client_access: A })).resolves.toMatchObject({ clientAccess: [A] });
  await expect(v.callerOf({ client_access: '[]' })).resolves.toMatchObject({ clientAccess: [] });
  await v.refusalOf(await v.identity.token({ client_access: '' }));
});

test('the name of a claim may be a path, unless the token has a claim with the whole name', async () => {
  const names = { roleClaim: 'realm_access.roles', clientAccessClaim: 'firm.rights.clients', subjectClaim: 'user.id' };
  const nested = {
    ...{ role: 'ADMIN', client_access: [], sub: 'other' },
    ...{ realm_access: { roles: ['CLIENT'] }, firm: { rights: { clients: [A] } }, user: { id: 'ada' } },
  };
  const verify = async (v: Verification): Promise<void> => {
    await expect(v.callerOf(nested)).resolves.toMatchObject({ role: 'CLIENT', clientAccess: [A], subject: 'ada' });
    const whole = { ...nested, 'realm_access.roles': 'TAX_SPECIALIST' };
    await expect(v.callerOf(whole)).resolves.toMatchObject({ role: 'TAX_SPECIALIST' });
    for (const realm_access of [null, 'ADMIN', ['ADMIN'], [{ roles: 'ADMIN' }], {}])
      await v.refusalOf(await v.identity.token({ ...nested, realm_access }));
    const refusal = await v.refusalOf(await v.identity.token({ ...nested, realm_access: undefined }));
    expect(refusal.message).toBe('the token has no "realm_access.roles" claim, which AUTH_ROLE_CLAIM names');
  };
  await withVerification([await createTestKey()], verify, names);
});

test('the service reads the subject from the claim of AUTH_SUBJECT_CLAIM, and needs no other subject', async () => {
  const verify = async (v: Verification): Promise<void> => {
    const caller = await v.callerOf({ sub: 'ada@firm.example', uid: '00u1' });
    expect(caller.subject).toBe('00u1');
    await expect(v.callerOf({ sub: 'renamed@firm.example', uid: '00u1' })).resolves.toMatchObject({
      userId: caller.userId,
    });
    await expect(v.callerOf({ sub: undefined, uid: '00u1' })).resolves.toMatchObject({ userId: caller.userId });
    const refusal = await v.refusalOf(await v.identity.token({ sub: 'ada@firm.example' }));
    expect(refusal.message).toBe('the "uid" claim is not a text of 1 to 255 characters');
  };
  await withVerification([await createTestKey()], verify, { subjectClaim: 'uid' });
});

test('an access token without "aud" is accepted by its "client_id" only with AUTH_AUDIENCE_IN_CLIENT_ID', async () => {
  const cognito = { aud: undefined, client_id: v.identity.audience, token_use: 'access' };
  await v.refusalOf(await v.identity.token(cognito));
  const verify = async (v: Verification): Promise<void> => {
    const own = { ...cognito, client_id: v.identity.audience };
    await expect(v.callerOf(own)).resolves.toMatchObject({ role: 'CLIENT' });
    await expect(v.callerOf()).resolves.toMatchObject({ role: 'CLIENT' });
    for (const wrong of [
      { client_id: 'other' },
      { client_id: undefined },
      { client_id: [v.identity.audience] },
      { token_use: 'id' },
      { token_use: undefined },
      { aud: v.identity.audience, token_use: 'id' },
      { aud: 'other' },
      { aud: ['other'] },
      { aud: null },
      { aud: '' },
    ])
      await v.refusalOf(await v.identity.token({ ...own, ...wrong }));
  };
  await withVerification([await createTestKey()], verify, { isAudienceClientId: true });
});
