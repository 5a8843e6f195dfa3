import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { decodeJwt } from 'jose';
import { withAdmin } from '../../support/database.ts';
import { logIn, refresh } from '../../support/login.ts';
import { openProviderWorld } from '../../support/provider.ts';
import type { ProviderWorld } from '../../support/provider.ts';

const A = 'aaaaaaaa-0000-4000-8000-000000000001';
const B = 'bbbbbbbb-0000-4000-8000-000000000002';

let world: ProviderWorld;
/** An administrator's. */
let credential: string;

beforeAll(async () => {
  world = await openProviderWorld();
  const secrets = await readFile(join(world.dataDir, 'identity', 'secrets.json'), 'utf8');
  credential = (JSON.parse(secrets) as { management: string }).management;
  await world.person({ role: 'ADMIN' });
});
afterAll(() => world.close());

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** Asks with the credential, unless another is given. */
async function ask(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const { url } = world.management;
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>) };
}

const stored = async (id: string): Promise<Record<string, unknown> | undefined> =>
  (await world.admin('select role, client_access::text, is_active from public.users where id = $1', [id]))[0];

describe('the management interface', () => {
  test('shows a user by the subject, url-encoded, in the shape of Auth0', async () => {
    const { email } = await world.person({ subject: 'auth0|a/b c', client_access: [], role: 'CLIENT' });
    expect(await ask('GET', `/users/${encodeURIComponent('auth0|a/b c')}`)).toEqual({
      status: 200,
      body: {
        ...{ user_id: 'auth0|a/b c', email, email_verified: true, name: expect.any(String) },
        app_metadata: { role: 'CLIENT', client_access: [] },
        ...{ blocked: false, created_at: expect.any(String), updated_at: expect.any(String) },
      },
    });
  });

  test('changes role, clients and activity, and leaves alone what it is not told', async () => {
    const { id } = await world.person({ subject: 'idp|changed' });
    const path = '/users/idp%7Cchanged';
    const metadata = { role: 'TAX_SPECIALIST', client_access: [B, A.toUpperCase(), B], theme: 'dark' };
    const changed = await ask('PATCH', path, { app_metadata: metadata });
    expect(changed.body['app_metadata']).toEqual({ role: 'TAX_SPECIALIST', client_access: [B, A] });
    expect(await stored(id)).toMatchObject({ role: 'TAX_SPECIALIST', is_active: true });
    expect((await ask('PATCH', path, { blocked: true })).body).toMatchObject({
      ...{ blocked: true, app_metadata: { role: 'TAX_SPECIALIST', client_access: [B, A] } },
    });
    expect((await ask('PATCH', path, { blocked: false, app_metadata: {} })).body['blocked']).toBe(false);
  });

  test('writes nothing where all is so already', async () => {
    const { id } = await world.person({ subject: 'idp|same', role: 'CLIENT' });
    const version = () => world.admin('select xmin::text, updated_at from public.users where id = $1', [id]);
    const before = await version();
    const same = { app_metadata: { role: 'CLIENT', client_access: [] }, blocked: false };
    expect((await ask('PATCH', '/users/idp%7Csame', same)).status).toBe(200);
    expect(await version()).toEqual(before);
  });

  test('gives the role that the id names', async () => {
    const { id } = await world.person({ subject: 'idp|given', role: 'CLIENT' });
    const { body } = await ask('GET', '/roles?include_totals=true');
    expect(body).toMatchObject({ start: 0, limit: 50, total: 4 });
    const roles = body['roles'] as { id: string; name: string; description: string }[];
    expect(roles.map(({ name }) => name)).toEqual(['ADMIN', 'ACCOUNT_MANAGER', 'TAX_SPECIALIST', 'CLIENT']);
    expect((await ask('GET', '/roles')).body).toEqual(roles);
    const wanted = roles.find(({ name }) => name === 'TAX_SPECIALIST')?.id;
    expect(await ask('POST', '/users/idp%7Cgiven/roles', { roles: [wanted] })).toEqual({
      status: 204,
      body: {},
    });
    expect(await stored(id)).toMatchObject({ role: 'TAX_SPECIALIST' });
    expect((await ask('POST', '/users/idp%7Cgiven/roles', { roles: ['rol_NONE'] })).status).toBe(404);
  });

  test('is heard by the next token, and a blocked user gets none', async () => {
    const { email, password } = await world.person({ subject: 'idp|heard' });
    const { issuer } = world.provider;
    const tokens = await logIn(issuer, email, password);
    await ask('PATCH', '/users/idp%7Cheard', { app_metadata: { role: 'CLIENT' } });
    const next = await refresh(issuer, tokens.refresh_token);
    expect(decodeJwt(next.body.access_token)['role']).toBe('CLIENT');
    await ask('PATCH', '/users/idp%7Cheard', { blocked: true });
    expect((await refresh(issuer, next.body.refresh_token)).body.error).toBe('invalid_grant');
    await expect(logIn(issuer, email, password)).rejects.toThrow('403');
  });

  test('leaves an audit record of what it changes, as its own', async () => {
    const { id } = await world.person({ subject: 'idp|audited' });
    await ask('PATCH', '/users/idp%7Caudited', { blocked: true });
    expect(
      await world.admin(
        `select actor, action, success, ip_address::text as address from public.audit_logs
         where resource_id = $1 and action = 'identity.change'`,
        [id],
      ),
    ).toEqual([
      { actor: 'identity-provider', action: 'identity.change', success: true, address: '127.0.0.1/32' },
    ]);
  });

  test('is nobody else, whatever the session of its login says of itself', async () => {
    const { id } = await world.person({ subject: 'idp|borrowed', role: 'CLIENT' });
    await withAdmin(world.postgres.adminUrl, async (client) => {
      await client.query('set role taxclaims_identity_provider');
      await client.query(
        `select set_config('app.user_id', $1, false), set_config('app.user_agent', 'another', false)`,
        [id],
      );
      await client.query(
        'select app.change_identity_account($1, null, array[$2]::uuid[], null, null, null)',
        ['idp|borrowed', A],
      );
    });
    expect(
      await world.admin(
        `select l.user_id, l.user_agent, u.access_changed_at > '-infinity' as ends_tokens
         from public.audit_logs as l
         join public.users as u on u.id = l.resource_id
         where u.id = $1 and l.action = 'identity.change'`,
        [id],
      ),
    ).toEqual([{ user_id: null, user_agent: null, ends_tokens: true }]);
  });

  test('changes nothing for the API, whose own rows they are: what it says late is overtaken', async () => {
    const { id } = await world.person({ subject: 'idp|own', role: 'CLIENT' });
    const authorization = { authorization: `Bearer ${world.management.token}` };
    const before = await stored(id);
    const late = { app_metadata: { role: 'TAX_SPECIALIST', client_access: [A] }, blocked: true };
    expect((await ask('PATCH', '/users/idp%7Cown', late, authorization)).body).toMatchObject({
      ...{ app_metadata: { role: 'CLIENT', client_access: [] }, blocked: false },
    });
    const roles = { roles: ['rol_ADMIN'] };
    expect((await ask('POST', '/users/idp%7Cown/roles', roles, authorization)).status).toBe(204);
    expect(await stored(id)).toEqual(before);
    expect((await ask('PATCH', '/users/idp%7Cnobody', late, authorization)).status).toBe(404);
    expect((await ask('PATCH', '/users/idp%7Cown', { blocked: 1 }, authorization)).status).toBe(400);
    await ask('PATCH', '/users/idp%7Cown', late);
    expect(await stored(id)).not.toEqual(before);
  });

  test('leaves the firm its last ADMIN, and says in the shape of Auth0 that it does', async () => {
    const admins = await world.admin(`select id, subject from public.users where role = 'ADMIN'`);
    expect(admins).toHaveLength(1);
    const path = `/users/${encodeURIComponent(String(admins[0]?.['subject']))}`;
    expect(await ask('PATCH', path, { blocked: true })).toEqual({
      status: 400,
      body: {
        ...{ statusCode: 400, error: 'Bad Request', errorCode: 'operation_not_supported' },
        message: 'The change is not possible',
      },
    });
    expect(await stored(String(admins[0]?.['id']))).toMatchObject({ is_active: true });
  });

  test.each([
    ['without a credential', 'GET', '/roles', undefined, { authorization: '' }, 401, 'invalid_token'],
    ['with another', 'GET', '/roles', undefined, { authorization: 'Bearer x' }, 401, 'invalid_token'],
    ['for an unknown user', 'GET', '/users/idp%7Cnobody', undefined, {}, 404, 'inexistent_user'],
    ['for a change of one', 'PATCH', '/users/idp%7Cnobody', { blocked: true }, {}, 404, 'inexistent_user'],
    ['for a path that is none', 'GET', '/clients', undefined, {}, 404, 'not_found'],
    ['for an id that is none', 'GET', '/users/%ff', undefined, {}, 400, 'invalid_body'],
    ['to delete a user', 'DELETE', '/users/idp%7Cnobody', undefined, {}, 405, 'method_not_allowed'],
    ['with a body that is no JSON', 'PATCH', '/users/x', '{', {}, 400, 'invalid_body'],
    [
      'with a role that is none',
      'PATCH',
      '/users/x',
      { app_metadata: { role: 'KING' } },
      {},
      400,
      'invalid_body',
    ],
    [
      'with a client that is none',
      'PATCH',
      '/users/x',
      { app_metadata: { client_access: ['1'] } },
      {},
      400,
      'invalid_body',
    ],
    ['with a form', 'PATCH', '/users/x', 'a=b', { 'content-type': 'text/plain' }, 415, 'invalid_request'],
    [
      'with a body of a megabyte',
      'PATCH',
      '/users/x',
      `"${'x'.repeat(1_000_000)}"`,
      {},
      413,
      'invalid_request',
    ],
  ] as const)('refuses a request %s', async (_, method, path, body, headers, status, errorCode) => {
    const answer = await ask(method, path, body, headers);
    expect(answer).toEqual({
      status,
      body: { statusCode: status, error: expect.any(String), message: expect.any(String), errorCode },
    });
  });

  test('keeps its credential over a restart, and names no other secret', async () => {
    const { token } = world.management;
    await world.restart();
    expect(world.management.token).toBe(token);
    expect((await ask('GET', '/roles')).status).toBe(200);
  });
});
