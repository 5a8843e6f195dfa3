import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from '@jest/globals';
import { compareRights } from '../../src/admin/compare-rights.ts';
import { openProviderUserReader } from '../../src/admin/users-of-provider.ts';
import { openManagementClient } from '../../src/identity/management/client.ts';
import { quiet, sendError, startManagement } from '../support/management.ts';
import { startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';
import { make } from '../support/rows.ts';
import { runCommand } from './command.ts';

const service = await forSuite(startService());
const provider = await forSuite(startManagement());
const client = (await service.tenant('Own')).clients;

beforeEach(async () => {
  await service.admin('delete from public.users');
  provider.users.clear();
  provider.asked.length = 0;
  provider.fault = quiet;
});

function sync(args: readonly string[] = [], more: Readonly<Record<string, string>> = {}) {
  return runCommand('admin/commands/identity-sync.ts', args, {
    ...{ DATABASE_URL: service.postgres.apiUrl, DATABASE_ADMIN_URL: service.postgres.adminUrl },
    ...{ AUTH_ISSUER: 'https://idp.example/', AUTH_AUDIENCE: 'api' },
    ...{ AUTH_MANAGEMENT_URL: provider.url, AUTH_MANAGEMENT_TOKEN: 'management-token' },
    ...more,
  });
}

async function person(name: string, clients: readonly string[] = []): Promise<string> {
  const [subject, role] = [`auth0|${name}`, 'CLIENT'];
  provider.know(subject, role, clients);
  return make(service, 'users', { email: `${name}@b.example`, name, role, client_access: clients, subject });
}

test('if the database and the identity provider have the same rights of users, identity:sync reports no difference and writes nothing', async () => {
  await person('ada', [client]);
  await person('bob');
  expect(await sync()).toMatchObject({ code: 0, out: '2 users compared, 0 differ\n' });
  expect(await sync(['--apply'])).toMatchObject({ code: 0 });
  expect(provider.asked.every(({ method }) => method === 'GET')).toBe(true);
});

test('identity:sync lists how rights differ between the database and the identity provider, and with --apply sends the database’s rights to the provider', async () => {
  const ids = [await person('ada', [client]), await person('bob'), await person('eve')];
  provider.know('auth0|ada', 'ADMIN', [randomUUID(), randomUUID()]);
  provider.users.set('auth0|bob', { app_metadata: {}, blocked: true, roles: [] });
  const lines = [
    `${String(ids[0])} ada@b.example: role: CLIENT here, ADMIN there; client_access: 1 only here, 2 only there`,
    `${String(ids[1])} bob@b.example: role: CLIENT here, none there; client_access: none there; active here, blocked there`,
  ].sort();
  const compared = await sync();
  expect([compared.code, compared.out.trim().split('\n')]).toEqual([1, [...lines, '3 users compared, 2 differ']]);
  expect(provider.users.get('auth0|ada')?.app_metadata).toMatchObject({ role: 'ADMIN' });

  const mended = await sync(['--apply']);
  expect(mended).toMatchObject({
    code: 0,
    out: expect.stringMatching(/3 users compared, 2 differ\n2 corrected\n$/),
  });
  expect(provider.users.get('auth0|ada')?.app_metadata).toEqual({ role: 'CLIENT', client_access: [client] });
  expect(provider.users.get('auth0|bob')).toMatchObject({ blocked: false });
  expect(await sync()).toMatchObject({ code: 0 });
});

test('identity:sync --apply exits with 1 if the identity provider does not know a user', async () => {
  await person('ada', [client]);
  provider.users.clear();
  expect(await sync(['--apply'])).toMatchObject({
    code: 1,
    out: expect.stringMatching(
      /does not know this user\n1 users compared, 1 differ\n0 corrected\n1 cannot be corrected, because the provider does not know the user\n$/,
    ),
  });
});

test('if DATABASE_ADMIN_URL names several database servers, identity:sync reads the users from the writable one', async () => {
  await person('ada', [client]);
  const { adminUrl } = service.postgres;
  const { host } = new URL(adminUrl);
  const several = `${adminUrl.replace(`@${host}`, `@127.0.0.1:9,${host}`)}?target_session_attrs=read-write`;
  expect(await sync([], { DATABASE_ADMIN_URL: several })).toMatchObject({
    code: 0,
    out: '1 users compared, 0 differ\n',
  });
});

test('identity:sync exits with 2 if it cannot read from the identity provider or from the database', async () => {
  await person('ada');
  provider.fault = (_request, response) => sendError(response, 403, 'insufficient_scope', 'No');
  expect(await sync()).toMatchObject({
    code: 2,
    err: 'the provider answered 403: insufficient_scope, No\n',
  });
  provider.fault = quiet;
  expect(await sync([], { AUTH_MANAGEMENT_URL: provider.url.replace('/api/v2', '') })).toMatchObject({
    code: 2,
    err: 'the provider answered 404: Not Found, Not Found; is AUTH_MANAGEMENT_URL right?\n',
  });
  expect((await sync([], { DATABASE_ADMIN_URL: 'postgres://x@127.0.0.1:9/x' })).code).toBe(2);
  expect(await sync([], { DATABASE_ADMIN_URL: '' })).toMatchObject({
    code: 2,
    err: 'DATABASE_ADMIN_URL must be set\n',
  });
  // The database login of the API must not read which user has which subject at the identity provider, so identity:sync
  // refuses this login.
  expect(await sync([], { DATABASE_ADMIN_URL: service.postgres.apiUrl })).toMatchObject({
    code: 2,
    out: '',
    err: expect.stringMatching(/^permission denied to set role "taxclaims_owner"/),
  });
  expect(await sync([], { AUTH_MANAGEMENT_URL: '', AUTH_MANAGEMENT_TOKEN: '' })).toMatchObject({
    code: 2,
    err: 'AUTH_MANAGEMENT_URL must be set: the command reads the provider’s users there\n',
  });
});

test('identity:sync reads 703 users from the identity provider, at most five at a time, and pauses after a 429', async () => {
  await service.admin(
    `insert into public.users (email, password_hash, name, role, subject)
     select n || '@b.example', '!', 'N', 'CLIENT', 'auth0|' || n from generate_series(1, 703) as n`,
  );
  for (let n = 1; n <= 703; n += 1) provider.know(`auth0|${String(n)}`, 'CLIENT', []);
  let [atOnce, most, answered] = [0, 0, 0];
  provider.fault = (_request, response) => {
    atOnce += 1;
    most = Math.max(most, atOnce);
    response.once('close', () => (atOnce -= 1));
    answered += 1;
    return answered === 400 && sendError(response, 429, 'too_many', 'Wait', { 'retry-after': '7' });
  };
  // The test’s identity provider answers only after one turn of the event loop. Several requests can thus be open at
  // the same time.
  provider.answering = () => new Promise((resolve) => setImmediate(resolve));
  const waits: number[] = [];
  const counted: number[] = [];
  const management = openManagementClient({ url: provider.url, token: 'management-token' });
  let resumed = false;
  const stored = await openProviderUserReader(service.postgres.adminUrl);
  const { users, differences } = await compareRights(
    stored,
    { ...management, remainingPauseMs: () => (resumed ? 0 : management.remainingPauseMs()) },
    (done) => counted.push(done),
    (ms) => {
      waits.push(Math.ceil(ms / 1_000));
      resumed = true;
      return Promise.resolve();
    },
  );
  await stored.close();
  expect([users, differences]).toEqual([703, []]);
  expect(most).toBeGreaterThan(1);
  expect(most).toBeLessThanOrEqual(5);
  expect(waits[0]).toBe(7);
  expect(counted.at(-1)).toBe(703);
});
