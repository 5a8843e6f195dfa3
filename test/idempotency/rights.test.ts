import { beforeEach, expect, test } from '@jest/globals';
import type { Role } from '../../src/identity/caller.ts';
import type { Answer, Question } from '../support/http.ts';
import { expectError, expectRefusal, startService } from '../support/service.ts';
import type { Tenant } from '../support/tenant.ts';
import { form, FORM } from '../support/upload.ts';
import { countOf, newKey, partsOf, withKey } from './keyed.ts';
import { forSuite } from '../support/suite.ts';
import { person } from '../support/people.ts';

/*
 * A repetition with an Idempotency-Key gets the stored answer only if the present policies still let the caller see the
 * record.
 */

let own: Tenant;
let other: Tenant;

const service = await forSuite(startService());

beforeEach(async () => {
  own = await service.furnishedTenant('Own');
  other = await service.furnishedTenant('Other');
});

const idOf = ({ headers }: Answer): string => String(headers.location).split('/').at(-1) ?? '';

/**
 * Sends a creation of a record with an Idempotency-Key. Returns the answer, and a function that repeats the creation
 * with another token.
 */
async function created(
  line: string,
  question: Question,
): Promise<{ first: Answer; again: (token: string) => Promise<Answer> }> {
  const keyed = withKey(newKey(), question);
  const first = await service.ask(line, keyed);
  expect(first.status).toBe(201);
  return { first, again: (token) => service.ask(line, { ...keyed, token }) };
}

const PARCEL = () => ({ site_id: own.sites, commune_code: '75056', section: 'AB', number: '0009' });
const CLIENT = { company_name: 'Neuve', contact_email: 'n@b.example' };

test('a caller who has lost access to a client gets 403 for a repeated creation of that client’s parcel, and the audit log names the client', async () => {
  const mine = await service.token('ACCOUNT_MANAGER', [own.clients, other.clients]);
  const { first, again } = await created('POST /api/cadastres', { token: mine, body: PARCEL() });
  const refused = await again(await service.token('ACCOUNT_MANAGER', [other.clients]));
  expect(await expectRefusal(service, refused, 'ERROR_FORBIDDEN')).toMatchObject({
    resource_type: 'cadastres',
    resource_id: idOf(first),
    client_context: own.clients,
  });
  expect(partsOf(await again(mine))).toEqual(partsOf(first));
});

test.each(['TAX_SPECIALIST', 'CLIENT'] as const)(
  'a user with the role %s who has lost access to a client gets 403 for a repeated upload of that client’s document',
  async (role) => {
    const line = `POST /api/reclamations/${own.reclamations}/documents`;
    const question = { token: await service.token(role, [own.clients]), headers: { 'content-type': FORM } };
    const { again } = await created(line, { ...question, body: form({}) });
    await expectRefusal(service, await again(await service.token(role, [other.clients])), 'ERROR_FORBIDDEN');
  },
);

test('a repeated creation for a client to which the caller has lost access gets 403 without a database query', async () => {
  const body = { client_id: own.clients, site_name: 'Entrepôt' };
  const token = await service.token('TAX_SPECIALIST', [own.clients]);
  const { again } = await created('POST /api/sites', { token, body });
  const runs = service.runs;
  const lost = await service.token('TAX_SPECIALIST', [other.clients]);
  await expectRefusal(service, await again(lost), 'ERROR_FORBIDDEN');
  expect(service.runs).toBe(runs);
});

test('an ADMIN who is now limited to a list of clients gets 403 for a repeated creation for any other client', async () => {
  const token = await service.token('ADMIN');
  const { again } = await created('POST /api/cadastres', { token, body: PARCEL() });
  await expectRefusal(service, await again(await service.token('ADMIN', [other.clients])), 'ERROR_FORBIDDEN');
});

test('an account manager gets 403 for a repeated creation of a partner that is no longer linked to the manager’s client', async () => {
  const token = await service.token('ACCOUNT_MANAGER', [own.clients]);
  const body = { name: 'Cabinet Dubois', client_ids: [own.clients] };
  const { first, again } = await created('POST /api/partners', { token, body });
  await service.sql`update public.client_partners set client_id = ${other.clients}
      where partner_id = ${idOf(first)}`;
  await expectRefusal(service, await again(token), 'ERROR_FORBIDDEN');
});

test('a caller whose new role is not allowed to create the record gets 403 for the repeated creation', async () => {
  const body = { client_id: own.clients, amount_excl_tax: 100 };
  const token = await service.token('ACCOUNT_MANAGER', [own.clients]);
  const { again } = await created('POST /api/invoices', { token, body });
  const sub = 'idp|ACCOUNT_MANAGER';
  const lowered = await service.token('CLIENT', [own.clients], { sub });
  await expectRefusal(service, await again(lowered), 'ERROR_FORBIDDEN');
  const raised = await service.token('ADMIN', [], { sub });
  expect((await again(raised)).status).toBe(201);
});

test.each([
  ['deleted', (id: string) => ['delete from public.sites where id = $1', [id]] as const],
  ['deleted with its client', () => ['delete from public.clients where id = $1', [own.clients]] as const],
])('a repeated creation of a site that was %s gets 404 and creates nothing', async (_how, deletion) => {
  const token = await service.token('ADMIN');
  const { first, again } = await created('POST /api/sites', {
    ...{ token, body: { client_id: own.clients, site_name: 'Entrepôt' } },
  });
  const [text, values] = deletion(idOf(first));
  await service.admin(text, [...values]);
  const before = await countOf(service, 'public.sites');
  expectError(await again(token), 'ERROR_NOT_FOUND');
  expect(await countOf(service, 'public.sites')).toBe(before);
});

test('a repeated creation of a client gets 404 if the client was deleted after the first creation', async () => {
  const token = await service.token('ACCOUNT_MANAGER', [own.clients]);
  const { first, again } = await created('POST /api/clients', { token, body: CLIENT });
  await service.admin('delete from public.clients where id = $1', [idOf(first)]);
  expectError(await again(token), 'ERROR_NOT_FOUND');
});

test('a repeated creation gets the stored answer of the first creation, even if the record was changed since', async () => {
  const token = await service.token('ADMIN');
  const { first, again } = await created('POST /api/sites', {
    ...{ token, body: { client_id: own.clients, site_name: 'Entrepôt' } },
  });
  const changed = await service.ask(`PUT /api/sites/${idOf(first)}`, {
    token,
    body: { site_name: 'Atelier' },
  });
  expect(changed.status).toBe(200);
  expect(partsOf(await again(token))).toEqual(partsOf(first));
});

interface Manager {
  readonly id: string;
  readonly token: (clients: readonly string[]) => Promise<string>;
}

async function manager(): Promise<Manager> {
  const { id, email } = await person(service, 'ACCOUNT_MANAGER', [own.clients]);
  const token = (clients: readonly string[], role: Role = 'ACCOUNT_MANAGER') =>
    service.token(role, clients, { sub: id, email });
  return { id, token };
}

test('a user who repeats the creation of a client with the first request’s access token gets the first answer again, even if the user has received a newer token since', async () => {
  const { token } = await manager();
  const inHand = await token([own.clients]);
  const { first, again } = await created('POST /api/clients', { token: inHand, body: CLIENT });
  expect(partsOf(await again(inHand))).toEqual(partsOf(first));
  const newer = await token([own.clients, idOf(first)]);
  expect((await service.ask('POST /api/auth/login', { body: { token: newer } })).status).toBe(200);
  expect(partsOf(await again(newer))).toEqual(partsOf(first));
  expect(partsOf(await again(inHand))).toEqual(partsOf(first));
});

test('the creator of a client gets 403 for a repeated creation once an ADMIN has withdrawn the creator’s access to the client', async () => {
  const { id, token } = await manager();
  const inHand = await token([own.clients]);
  const { first, again } = await created('POST /api/clients', { token: inHand, body: CLIENT });
  const admin = await service.token('ADMIN');
  const taken = `DELETE /api/users/${id}/client-access/${idOf(first)}`;
  expect((await service.ask(taken, { token: admin })).status).toBe(204);
  // The creator’s older token has the stored rights again, so the service accepts the token for other requests.
  for (const present of [inHand, await token([own.clients])])
    expect(await expectRefusal(service, await again(present), 'ERROR_FORBIDDEN')).toMatchObject({
      resource_type: 'clients',
      resource_id: idOf(first),
      client_context: idOf(first),
    });
  expect(await countOf(service, `public.clients where id = '${idOf(first)}'`)).toBe(1);
});

test('a client’s creator who was deactivated gets 401 for a repeated creation of the client', async () => {
  const { id, token } = await manager();
  const inHand = await token([own.clients]);
  const { again } = await created('POST /api/clients', { token: inHand, body: CLIENT });
  await service.admin('update public.users set is_active = false where id = $1', [id]);
  await expectRefusal(service, await again(inHand), 'ERROR_UNAUTHORIZED');
});

test('the stored answer to a creation contains neither the password in its body nor the Idempotency-Key', async () => {
  const key = newKey();
  const password = 'correct horse battery';
  const body = { email: `${key}@b.example`, name: 'Chloé', role: 'CLIENT', password };
  const token = await service.token('ADMIN');
  const first = await service.ask('POST /api/users', withKey(key, { token, body }));
  expect(first.status).toBe(201);
  const [row] = await service.sql`select to_jsonb(k)::text as text from app.idempotency_keys as k
      where resource_id = ${idOf(first)}`;
  expect(row?.['text']).toContain(idOf(first));
  expect(row?.['text']).not.toContain(password);
  expect(row?.['text']).not.toContain(`"${key}"`);
});
