import { describe, expect, test } from '@jest/globals';
import type { RequestContext } from '../../src/db/request-settings.ts';
import { ownSettings, requestRole, requestSettings } from '../../src/db/settings.ts';
import type { Role } from '../../src/identity/caller.ts';

const FIRST = '11111111-1111-4111-8111-111111111111';
const SECOND = '22222222-2222-4222-8222-222222222222';

function context(role: Role, clientAccess: string[], client?: string): RequestContext {
  return {
    caller: {
      subject: 'auth0|someone',
      userId: '33333333-3333-4333-8333-333333333333',
      role,
      clientAccess,
      accessDigest: 'digest',
      issuedAt: 1_700_000_000,
      email: undefined,
      name: undefined,
    },
    requestId: 'request-1',
    action: 'GET /api/clients',
    ipAddress: '192.0.2.1',
    userAgent: 'a browser',
    readOnly: true,
    ...(client === undefined ? {} : { client }),
  };
}

/** What each setting is set to, in order: a literal, the value of its parameter, or an expression. */
function written({ text, values }: ReturnType<typeof requestSettings>): [string, unknown][] {
  return [...text.matchAll(/set_config\('([^']+)', (.+), true\)/g)].map(([, name = '', value = '']) => [
    name,
    /^\$\d+$/.test(value) ? values[Number(value.slice(1)) - 1] : value,
  ]);
}

describe('the role of a request', () => {
  test.each<[Role, string[], string | undefined, string]>([
    ['ADMIN', [], undefined, 'taxclaims_admin'],
    ['ADMIN', [], FIRST, 'taxclaims_scoped_admin'],
    ['ADMIN', [FIRST], undefined, 'taxclaims_scoped_admin'],
    ['ACCOUNT_MANAGER', [], undefined, 'taxclaims_account_manager'],
    ['TAX_SPECIALIST', [FIRST], FIRST, 'taxclaims_tax_specialist'],
    ['CLIENT', [FIRST], undefined, 'taxclaims_client'],
  ])('of %s with clients %j that names client %s is %4$s', (role, clientAccess, client, expected) => {
    expect(requestRole(context(role, clientAccess, client))).toBe(expected);
  });
});

describe('the settings of a request', () => {
  test('are all local, and the role is the last', () => {
    const { text } = requestSettings(context('CLIENT', [FIRST]), 5_000);
    expect(text.match(/set_config\(/g)).toHaveLength(text.match(/, true\)/g)?.length ?? 0);
    expect(written(requestSettings(context('CLIENT', [FIRST]), 5_000))).toEqual([
      ['transaction_read_only', 'on'],
      ['timezone', `'UTC'`],
      ['statement_timeout', 5_000],
      ['idle_in_transaction_session_timeout', 5_000],
      ['app.client_access', `{${FIRST}}`],
      ['app.request_id', 'request-1'],
      ['app.actor', 'auth0|someone'],
      ['app.user_id', 'coalesce(app.authenticate($5, to_timestamp($6), $7)::text, $8)'],
      ['app.action', 'GET /api/clients'],
      ['app.ip_address', '192.0.2.1'],
      ['app.user_agent', 'a browser'],
      ['role', 'taxclaims_client'],
    ]);
  });

  test('ask the database about the subject, the time and the rights that the token states', () => {
    const { values } = requestSettings(context('CLIENT', [FIRST]), 5_000);
    expect([values[4], values[5], values[6], values[7]]).toEqual([
      'auth0|someone',
      1_700_000_000,
      'digest',
      '33333333-3333-4333-8333-333333333333',
    ]);
  });

  test('of a request that may write are not read-only', () => {
    const settings = requestSettings({ ...context('CLIENT', [FIRST]), readOnly: false }, 5_000);
    expect(written(settings)).toContainEqual(['transaction_read_only', 'off']);
  });

  test.each([
    ['the whole list when the request names no client', [FIRST, SECOND], undefined, `{${FIRST},${SECOND}}`],
    ['the named client alone', [FIRST, SECOND], SECOND, `{${SECOND}}`],
    ['a new client, which is in no list yet', [], FIRST, `{${FIRST}}`],
    ['no client where the list is empty', [], undefined, '{}'],
  ])('hold %s', (_case, clientAccess, client, expected) => {
    const settings = requestSettings(context('ACCOUNT_MANAGER', clientAccess, client), 5_000);
    expect(written(settings)).toContainEqual(['app.client_access', expected]);
  });

  test.each([`${FIRST},${SECOND}`, `${FIRST}}`, `{${FIRST}}`, `${FIRST}\n`, '', 'null'])(
    'cannot be widened by a client named %j',
    (client) => {
      expect(() => requestSettings(context('CLIENT', [FIRST], client), 5_000)).toThrow(TypeError);
    },
  );
});

test("the API's own statements clear every setting that a request writes, and run under no role", () => {
  const request = written(requestSettings(context('CLIENT', [FIRST]), 5_000)).map(([name]) => name);
  const own = new Map(written(ownSettings(5_000)));
  for (const name of request.filter((each) => each.startsWith('app.'))) expect(own.get(name)).toBe(`''`);
  expect(own.get('role')).toBe(`'none'`);
  expect(own.get('statement_timeout')).toBe(5_000);
});
