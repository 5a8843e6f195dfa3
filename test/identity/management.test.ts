import { beforeEach, expect, test } from '@jest/globals';
import { openManagementClient } from '../../src/identity/management/client.ts';
import type { ManagementClient } from '../../src/identity/management/client.ts';
import { broken, instead, quiet, sendError, startManagement } from '../support/management.ts';
import type { Fault } from '../support/management.ts';
import { forSuite } from '../support/suite.ts';

const SUBJECT = 'auth0|5f7c8ec7/ü 1';
const CLIENT = 'c1000000-0000-4000-8000-000000000001';
const RIGHTS = { role: 'ACCOUNT_MANAGER', clientAccess: [CLIENT], isActive: true };

let management: ManagementClient;

const provider = await forSuite(startManagement());

beforeEach(() => {
  provider.users.clear();
  provider.asked.length = 0;
  provider.issued.length = 0;
  provider.fault = quiet;
  provider.tokens = ['management-token'];
  provider.know(SUBJECT, 'CLIENT', []);
  management = openManagementClient(
    { url: `${provider.url}/`, token: 'management-token' },
    { answerMs: 500, retryMs: 1 },
  );
});

const time = (ms = 30_000) => ({ deadline: performance.now() + ms, signal: AbortSignal.timeout(Math.max(ms, 0)) });
const send = (rights = RIGHTS) => management.send(SUBJECT, rights, time());
const lines = () => provider.asked.map(({ method, path }) => `${method} ${path}`);

/** Makes the identity provider answer its next `times` requests with the given failure, and later requests normally. */
function failing(times: number, fault: Fault): void {
  let left = times;
  provider.fault = (...all) => left-- > 0 && fault(...all);
}

test('the service sends a user’s role, clients and activity to the provider, and assigns the provider’s role of that name', async () => {
  await send();
  expect(provider.users.get(SUBJECT)).toEqual({
    app_metadata: { role: 'ACCOUNT_MANAGER', client_access: [CLIENT] },
    blocked: false,
    roles: ['rol_ACCOUNT_MANAGER'],
  });
  const path = '/users/auth0%7C5f7c8ec7%2F%C3%BC%201';
  expect(lines()).toEqual([
    `PATCH ${path}`,
    'GET /roles?per_page=100&page=0&include_totals=true',
    `POST ${path}/roles`,
  ]);
  await send({ ...RIGHTS, isActive: false, clientAccess: [] });
  expect(provider.users.get(SUBJECT)).toMatchObject({ app_metadata: { client_access: [] }, blocked: true });
  // The service requests the list of the provider’s roles once, although it sent rights twice.
  expect(lines().filter((line) => line.startsWith('GET'))).toHaveLength(1);
});

test('the service reads a user’s rights from the provider, and leaves out a malformed role or client list', async () => {
  await send();
  expect(await management.read(SUBJECT, time())).toEqual(RIGHTS);
  provider.users.set(SUBJECT, { app_metadata: { role: 7, client_access: 'all' }, blocked: true, roles: [] });
  expect(await management.read(SUBJECT, time())).toEqual({ role: undefined, clientAccess: undefined, isActive: false });
});

test.each<readonly [string, Fault]>([
  ['resets the connection', broken],
  ['answers 408', (_request, response) => sendError(response, 408, 'request_timeout', 'Too slow')],
  ['answers 500', (_request, response) => sendError(response, 500, 'internal', 'Oops')],
  ['answers garbage', instead(200, '<html>')],
  ['never answers', () => true],
  ['redirects', instead(302, '', { location: '/' })],
  ['answers with two megabytes', instead(200, Buffer.alloc(2_000_000, ' '))],
])(
  'the service sends a user’s rights three times to a provider that %s, and then reports the provider as unreachable',
  async (_what, fault) => {
    failing(2, fault);
    await send();
    expect(provider.users.get(SUBJECT)).toMatchObject({ app_metadata: { role: 'ACCOUNT_MANAGER' } });
    provider.asked.length = 0;
    provider.fault = fault;
    await expect(send()).rejects.toMatchObject({ kind: 'away' });
    expect(provider.asked).toHaveLength(3);
    expect(management.remainingPauseMs()).toBe(0);
  },
);

test.each([
  [400, 'refused'],
  [401, 'credential'],
  [403, 'credential'],
  [422, 'refused'],
] as const)(
  'the service sends a user’s rights only once if the provider answers %d, and the error has the kind %s',
  async (status, kind) => {
    provider.fault = (_request, response) => sendError(response, status, 'some_code', `about ${SUBJECT} and ${CLIENT}`);
    await expect(send()).rejects.toMatchObject({
      kind,
      message: `the provider answered ${String(status)}: some_code, about … and …`,
    });
    expect(provider.asked).toHaveLength(1);
  },
);

test('the service tells the provider’s 404 for an unknown user from a 404 for a wrong AUTH_MANAGEMENT_URL', async () => {
  const of = (url: string) => openManagementClient({ url, token: 'management-token' }, { retryMs: 1 });
  await expect(of(provider.url).send('auth0|nobody', RIGHTS, time())).rejects.toMatchObject({
    kind: 'unknown',
    message: 'the provider answered 404: inexistent_user, The user does not exist.',
  });
  for (const url of [provider.url.replace('v2', 'v1'), provider.url.replace('/api/v2', '')]) {
    await expect(of(url).send(SUBJECT, RIGHTS, time())).rejects.toMatchObject({
      kind: 'address',
      message: 'the provider answered 404: Not Found, Not Found; is AUTH_MANAGEMENT_URL right?',
    });
  }
});

test.each<readonly [string, Fault]>([
  ['404 in HTML', instead(404, '<html>')],
  ['404 with a code of its own', (_request, response) => sendError(response, 404, 'not_found', 'No route')],
  ['405', instead(405, '')],
])(
  'the service reports the provider’s answer %s as a wrong AUTH_MANAGEMENT_URL, not as an unknown user',
  async (_what, fault) => {
    provider.fault = fault;
    await expect(send()).rejects.toMatchObject({
      kind: 'address',
      message: expect.stringContaining('AUTH_MANAGEMENT_URL'),
    });
    await expect(management.read(SUBJECT, time())).rejects.toMatchObject({ kind: 'address' });
  },
);

const NONSENSE = [null, 0, '', 'x'.repeat(500), [], {}, [[]], true];

test.each([
  {
    answer: 'with only the members that the service reads',
    body: { app_metadata: { role: 'CLIENT', client_access: [CLIENT] } },
  },
  {
    answer: 'with further members of a user',
    body: {
      ...{ user_id: 'x', email: 'a@b.example', blocked: false, identities: [{}], last_login: null, multifactor: [] },
      app_metadata: { role: 'CLIENT', client_access: [CLIENT], plan: null },
    },
  },
  ...['user_id', 'email', 'blocked', 'identities'].flatMap((member) =>
    NONSENSE.filter((value) => member !== 'blocked' || value !== true).map((value) => ({
      answer: `with ${member} ${JSON.stringify(value).slice(0, 20)}`,
      body: { app_metadata: { role: 'CLIENT', client_access: [CLIENT] }, [member]: value },
    })),
  ),
])(
  'the service reads a user’s rights from the provider’s answer $answer, and accepts $answer as the answer to a change of rights',
  async ({ body }) => {
    provider.fault = (request, response, asked) =>
      asked.path.startsWith('/users/') &&
      !asked.path.endsWith('/roles') &&
      instead(200, JSON.stringify(body))(request, response, asked);
    expect(await management.read(SUBJECT, time())).toEqual({ role: 'CLIENT', clientAccess: [CLIENT], isActive: true });
    await send();
    expect(lines().at(-1)).toBe('POST /users/auth0%7C5f7c8ec7%2F%C3%BC%201/roles');
  },
);

test.each(NONSENSE.map((value) => ({ value, text: JSON.stringify(value).slice(0, 20) })))(
  'a user whose app_metadata is $text has no rights at the provider',
  async ({ value }) => {
    for (const body of [{ app_metadata: value }, { app_metadata: { role: value, client_access: value } }]) {
      provider.fault = instead(200, JSON.stringify(body));
      const { role, clientAccess } = await management.read(SUBJECT, time());
      expect([role === 'CLIENT', clientAccess ?? []]).toEqual([false, []]);
    }
  },
);

test('a change of rights is delivered if the provider answers 204 without a body', async () => {
  provider.fault = (request, response, asked) => asked.method === 'PATCH' && instead(204, '')(request, response, asked);
  await send();
  expect(lines()).toHaveLength(3);
});

test('a change of rights has failed if the provider’s answer is not a user', async () => {
  provider.fault = instead(200, '[]');
  await expect(send()).rejects.toMatchObject({
    kind: 'away',
    message: 'the provider answered something that is no user',
  });
});

test.each([
  ['retry-after in seconds', { 'retry-after': '120' }, 120],
  [
    'retry-after as a date',
    { date: 'Sun, 22 Nov 2026 10:00:00 GMT', 'retry-after': 'Sun, 22 Nov 2026 10:03:00 GMT' },
    180,
  ],
  [
    'x-ratelimit-reset, by the provider’s clock',
    { date: 'Sun, 22 Nov 2026 10:00:00 GMT', 'x-ratelimit-reset': '1795341690' },
    90,
  ],
  ['x-ratelimit-reset in the past', { 'x-ratelimit-reset': '1' }, 1],
  ['retry-after of three years', { 'retry-after': '99999999' }, 3600],
  ['no header (10 seconds)', {}, 10],
] as readonly (readonly [string, Record<string, string>, number])[])(
  'after a 429 from the provider, the service sends no management request for as long as the response says (%s)',
  async (_what, headers, seconds) => {
    provider.fault = (_request, response) => sendError(response, 429, 'too_many_requests', 'Global limit', headers);
    await expect(send()).rejects.toMatchObject({ kind: 'limited', retryAfterMs: seconds * 1_000 });
    expect(provider.asked).toHaveLength(1);
    expect(Math.ceil(management.remainingPauseMs() / 1_000)).toBe(seconds);
  },
);

test('the service pauses its management requests after a provider’s answer with x-ratelimit-remaining: 0', async () => {
  provider.fault = (_request, response) => {
    response.setHeader('x-ratelimit-remaining', '0');
    response.setHeader('retry-after', '50');
    return false;
  };
  await send();
  expect(Math.ceil(management.remainingPauseMs() / 1_000)).toBe(50);
});

test('the service sends the provider no management request after the deadline of a delivery of rights', async () => {
  await expect(management.send(SUBJECT, RIGHTS, time(-1))).rejects.toMatchObject({ kind: 'away' });
  expect(provider.asked).toEqual([]);
});

test('a change of rights is delivered to a provider that has no endpoint for roles', async () => {
  provider.fault = (_request, response, { path }) =>
    path.startsWith('/roles') && sendError(response, 404, 'not_found', 'No such thing');
  await send();
  expect(lines()).toHaveLength(2);
});

const open = (secret = 's&cret') =>
  openManagementClient(
    {
      url: provider.url,
      client: { issuer: new URL(provider.url).origin, id: 'worker', secret, audience: 'urn:management' },
    },
    { answerMs: 500, retryMs: 1 },
  );

test('simultaneous management requests share one access token, which the service gets with its client credentials', async () => {
  management = open();
  await Promise.all([send(), send(), send()]);
  expect(provider.issued).toEqual(['management-token']);
  expect(provider.users.get(SUBJECT)?.roles).toEqual(['rol_ACCOUNT_MANAGER']);
});

test('the service gets a new management token once if the provider refuses the first token', async () => {
  management = open();
  await send();
  provider.tokens = ['the next one'];
  await send();
  expect(provider.issued).toEqual(['management-token', 'the next one']);
  provider.fault = (_request, response) => sendError(response, 401, 'invalid_token', 'Invalid token');
  await expect(send()).rejects.toMatchObject({ kind: 'credential' });
  expect(provider.issued).toHaveLength(3);
});

test('the service gets a new management token before the first token expires', async () => {
  management = open();
  provider.tokenLife = 0;
  await send();
  expect(provider.issued.length).toBeGreaterThan(1);
  provider.tokenLife = 86_400;
});

test('the service reports refused client credentials and an unreachable token endpoint as different errors', async () => {
  management = open('wrong');
  await expect(send()).rejects.toMatchObject({
    kind: 'credential',
    message: 'the token endpoint answered invalid_client',
  });
  management = openManagementClient(
    {
      url: provider.url,
      client: { issuer: 'http://127.0.0.1:9', id: 'worker', secret: 'x', audience: undefined },
    },
    { retryMs: 1 },
  );
  await expect(send()).rejects.toMatchObject({ kind: 'away' });
});

test.each(['.', '..'])(
  'the service sends the provider no request about a user with the subject %s, which would change the request’s path',
  async (subject) => {
    await expect(management.erase(subject, time())).rejects.toMatchObject({ kind: 'refused' });
    expect(provider.asked).toEqual([]);
  },
);

test('the service’s error message about a provider’s answer has no email and no control character from that answer', async () => {
  provider.fault = (_request, response) =>
    sendError(response, 400, 'invalid_body', 'no \u001B[2J user\nada@example.org');
  await expect(send()).rejects.toMatchObject({
    message: 'the provider answered 400: invalid_body, no [2J user …',
  });
});
