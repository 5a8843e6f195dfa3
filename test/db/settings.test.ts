import { describe, expect, test } from '@jest/globals';
import type { RequestContext } from '../../src/db/request-settings.ts';
import { nextBatchSettingsStatement, determineDatabaseRole, buildSettingsStatement } from '../../src/db/settings.ts';
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

/** Reads the SQL that sets a request’s database settings, and returns the name and value of each setting in order. */
function written({ text, values }: ReturnType<typeof buildSettingsStatement>): [string, unknown][] {
  return [...text.matchAll(/set_config\('([^']+)', (.+), true\)/g)].map(([, name = '', value = '']) => [
    name,
    /^\$\d+$/.test(value) ? values[Number(value.slice(1)) - 1] : value,
  ]);
}

describe('the database role of a request', () => {
  test.each<[Role, string[], string | undefined, string]>([
    ['ADMIN', [], undefined, 'taxclaims_admin'],
    ['ADMIN', [], FIRST, 'taxclaims_scoped_admin'],
    ['ADMIN', [FIRST], undefined, 'taxclaims_scoped_admin'],
    ['ACCOUNT_MANAGER', [], undefined, 'taxclaims_account_manager'],
    ['TAX_SPECIALIST', [FIRST], FIRST, 'taxclaims_tax_specialist'],
    ['CLIENT', [FIRST], undefined, 'taxclaims_client'],
  ])(
    'a request of role %s with clients %j for client %s runs as the database role %s',
    (role, clientAccess, client, expected) => {
      expect(determineDatabaseRole(context(role, clientAccess, client))).toBe(expected);
    },
  );
});

describe('the settings of a request', () => {
  const FORM = [
    ['timezone', `'UTC'`],
    ['datestyle', `'ISO'`],
  ];

  test('a request that only reads sets the needed database settings for its transaction only, and its database role last', () => {
    const { text } = buildSettingsStatement(context('CLIENT', [FIRST]), 5_000);
    expect(text.match(/set_config\(/g)).toHaveLength(text.match(/, true\)/g)?.length ?? 0);
    expect(written(buildSettingsStatement(context('CLIENT', [FIRST]), 5_000))).toEqual([
      ['transaction_read_only', `'on'`],
      ...FORM,
      ['statement_timeout', 5_000],
      ['app.client_access', `{${FIRST}}`],
      ['app.user_id', 'app.caller_id($3, to_timestamp($4), $5, $6)::text'],
      ['application_name', `'taxclaims-api ' || $8`],
      ['role', 'taxclaims_client'],
    ]);
  });

  test('a request that reads one record limits the setting app.client_access to the record’s client', () => {
    const record = { table: 'sites', id: SECOND };
    const several = buildSettingsStatement({ ...context('CLIENT', [FIRST, SECOND]), record }, 5_000);
    expect(written(several)).toContainEqual(['app.client_access', 'app.narrowed($2, $9, $10)']);
    expect(several.values.slice(8)).toEqual(['sites', SECOND]);
    for (const plain of [
      context('CLIENT', [FIRST]),
      context('CLIENT', [FIRST, SECOND], FIRST),
      { ...context('CLIENT', [FIRST, SECOND]), readOnly: false },
    ])
      expect(buildSettingsStatement({ ...plain, record }, 5_000)).toEqual(buildSettingsStatement(plain, 5_000));
  });

  test('a request that writes also sets the database settings that its audit records need', () => {
    const settings = buildSettingsStatement({ ...context('CLIENT', [FIRST]), readOnly: false }, 5_000);
    expect(settings.text.match(/set_config\(/g)).toHaveLength(settings.text.match(/, true\)/g)?.length ?? 0);
    expect(written(settings)).toEqual([
      ['transaction_read_only', `'off'`],
      ...FORM,
      ['statement_timeout', 5_000],
      ['idle_in_transaction_session_timeout', 5_000],
      ['app.client_access', `{${FIRST}}`],
      ['app.request_id', 'request-1'],
      ['app.actor', 'auth0|someone'],
      ['app.action', 'GET /api/clients'],
      ['app.ip_address', '192.0.2.1'],
      ['app.user_agent', 'a browser'],
      ['app.user_id', 'app.caller_id($3, to_timestamp($4), $5, $6)::text'],
      ['application_name', `'taxclaims-api ' || $8`],
      ['role', 'taxclaims_client'],
    ]);
  });

  test('a request sends the subject, issue time and rights of its token to the database', () => {
    const { values } = buildSettingsStatement(context('CLIENT', [FIRST]), 5_000);
    expect(values.slice(2, 6)).toEqual([
      'auth0|someone',
      1_700_000_000,
      'digest',
      '33333333-3333-4333-8333-333333333333',
    ]);
  });

  test('in a transaction for several requests, each later batch of statements sets the clients and role of its own request, or clears both', () => {
    expect(written(nextBatchSettingsStatement(context('CLIENT', [FIRST, SECOND])))).toEqual([
      ['app.client_access', `{${FIRST},${SECOND}}`],
      ['role', 'taxclaims_client'],
    ]);
    expect(written(nextBatchSettingsStatement(undefined))).toEqual([
      ['app.client_access', ''],
      ['role', 'none'],
    ]);
  });

  test.each([
    ['the whole list when the request names no client', [FIRST, SECOND], undefined, `{${FIRST},${SECOND}}`],
    ['the named client alone', [FIRST, SECOND], SECOND, `{${SECOND}}`],
    ['the new client that an account manager without clients creates', [], FIRST, `{${FIRST}}`],
    ['no client if the list is empty', [], undefined, '{}'],
  ])('the setting app.client_access of a request holds %s', (_case, clientAccess, client, expected) => {
    const settings = buildSettingsStatement(context('ACCOUNT_MANAGER', clientAccess, client), 5_000);
    expect(written(settings)).toContainEqual(['app.client_access', expected]);
  });

  test.each([`${FIRST},${SECOND}`, `${FIRST}}`, `{${FIRST}}`, `${FIRST}\n`, '', 'null'])(
    'a request that names the malformed client %j gets access to no more clients',
    (client) => {
      expect(() => buildSettingsStatement(context('CLIENT', [FIRST], client), 5_000)).toThrow(TypeError);
    },
  );
});

test('SQL statements that the service runs for itself clear every setting that a request sets, and run under no role', () => {
  const writing = buildSettingsStatement({ ...context('CLIENT', [FIRST]), readOnly: false }, 5_000);
  const request = written(writing).map(([name]) => name);
  const own = new Map(written(buildSettingsStatement(undefined, 5_000)));
  for (const name of request.filter((each) => each.startsWith('app.'))) expect(own.get(name)).toBe(`''`);
  expect(own.get('role')).toBe(`'none'`);
  expect(own.get('statement_timeout')).toBe(5_000);
});
