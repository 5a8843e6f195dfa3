import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Role } from '../../src/identity/caller.ts';
import type { Answer, Question } from '../support/http.ts';
import { expectError, expectRefusal, startService } from '../support/service.ts';
import type { Tenant } from '../support/tenant.ts';
import { form, FORM } from '../support/upload.ts';
import { countOf, newKey, partsOf, withKey } from './keyed.ts';
import { forSuite } from '../support/suite.ts';
import { person } from '../support/people.ts';

/* What was kept for a caller is shown to a caller who still sees the record, by the policies as they are now. */

let own: Tenant;
let other: Tenant;

const service = await forSuite(startService());

beforeEach(async () => {
  own = await service.furnishedTenant('Own');
  other = await service.furnishedTenant('Other');
});

const idOf = ({ headers }: Answer): string => String(headers.location).split('/').at(-1) ?? '';

/** A keyed creation that was answered, and the same again by a token. */
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

describe('whoever has lost the client since', () => {
  test('is refused its parcel, which the body does not tell the client of, and the refusal names it', async () => {
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

  test.each(['TAX_SPECIALIST', 'CLIENT'] as const)('is refused its document, as %s', async (role) => {
    const line = `POST /api/reclamations/${own.reclamations}/documents`;
    const question = { token: await service.token(role, [own.clients]), headers: { 'content-type': FORM } };
    const { again } = await created(line, { ...question, body: form({}) });
    await expectRefusal(service, await again(await service.token(role, [other.clients])), 'ERROR_FORBIDDEN');
  });

  test('is refused what names its client before anything is read', async () => {
    const body = { client_id: own.clients, site_name: 'Entrepôt' };
    const token = await service.token('TAX_SPECIALIST', [own.clients]);
    const { again } = await created('POST /api/sites', { token, body });
    const runs = service.runs;
    const lost = await service.token('TAX_SPECIALIST', [other.clients]);
    await expectRefusal(service, await again(lost), 'ERROR_FORBIDDEN');
    expect(service.runs).toBe(runs);
  });

  test('is refused it as an ADMIN who has a list now', async () => {
    const token = await service.token('ADMIN');
    const { again } = await created('POST /api/cadastres', { token, body: PARCEL() });
    await expectRefusal(service, await again(await service.token('ADMIN', [other.clients])), 'ERROR_FORBIDDEN');
  });

  test('is refused a partner whose last link of theirs was taken away', async () => {
    const token = await service.token('ACCOUNT_MANAGER', [own.clients]);
    const body = { name: 'Cabinet Dubois', client_ids: [own.clients] };
    const { first, again } = await created('POST /api/partners', { token, body });
    await service.sql`update public.client_partners set client_id = ${other.clients}
      where partner_id = ${idOf(first)}`;
    await expectRefusal(service, await again(token), 'ERROR_FORBIDDEN');
  });
});

describe('whoever has another role since', () => {
  test('is refused what the role may not create', async () => {
    const body = { client_id: own.clients, amount_excl_tax: 100 };
    const token = await service.token('ACCOUNT_MANAGER', [own.clients]);
    const { again } = await created('POST /api/invoices', { token, body });
    const sub = 'idp|ACCOUNT_MANAGER';
    const lowered = await service.token('CLIENT', [own.clients], { sub });
    await expectRefusal(service, await again(lowered), 'ERROR_FORBIDDEN');
    const raised = await service.token('ADMIN', [], { sub });
    expect((await again(raised)).status).toBe(201);
  });
});

describe('a record that is gone', () => {
  test.each([
    ['by itself', (id: string) => ['delete from public.sites where id = $1', [id]] as const],
    ['with its client', () => ['delete from public.clients where id = $1', [own.clients]] as const],
  ])('%s, is not shown and not made again', async (_how, deletion) => {
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

  test('as a client is refused like any other absent one', async () => {
    const token = await service.token('ACCOUNT_MANAGER', [own.clients]);
    const { first, again } = await created('POST /api/clients', { token, body: CLIENT });
    await service.admin('delete from public.clients where id = $1', [idOf(first)]);
    expectError(await again(token), 'ERROR_NOT_FOUND');
  });
});

test('a record that was changed since is answered as it was made, and not as it is', async () => {
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

describe('a client that an account manager created', () => {
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

  test('is given again by the token in hand, which cannot say it yet, also after a login that does', async () => {
    const { token } = await manager();
    const inHand = await token([own.clients]);
    const { first, again } = await created('POST /api/clients', { token: inHand, body: CLIENT });
    expect(partsOf(await again(inHand))).toEqual(partsOf(first));
    const newer = await token([own.clients, idOf(first)]);
    expect((await service.ask('POST /api/auth/login', { body: { token: newer } })).status).toBe(200);
    expect(partsOf(await again(newer))).toEqual(partsOf(first));
    expect(partsOf(await again(inHand))).toEqual(partsOf(first));
  });

  test('is refused once an ADMIN has taken it away, to the token in hand and to a newer one', async () => {
    const { id, token } = await manager();
    const inHand = await token([own.clients]);
    const { first, again } = await created('POST /api/clients', { token: inHand, body: CLIENT });
    const admin = await service.token('ADMIN');
    const taken = `DELETE /api/users/${id}/client-access/${idOf(first)}`;
    expect((await service.ask(taken, { token: admin })).status).toBe(204);
    // The token in hand says the stored rights again, and is good for everything else.
    for (const present of [inHand, await token([own.clients])])
      expect(await expectRefusal(service, await again(present), 'ERROR_FORBIDDEN')).toMatchObject({
        resource_type: 'clients',
        resource_id: idOf(first),
        client_context: idOf(first),
      });
    expect(await countOf(service, `public.clients where id = '${idOf(first)}'`)).toBe(1);
  });

  test('is refused to a caller who was made inactive', async () => {
    const { id, token } = await manager();
    const inHand = await token([own.clients]);
    const { again } = await created('POST /api/clients', { token: inHand, body: CLIENT });
    await service.admin('update public.users set is_active = false where id = $1', [id]);
    await expectRefusal(service, await again(inHand), 'ERROR_UNAUTHORIZED');
  });
});

describe('a password in a body', () => {
  test('is in no kept row, nor is the key by which its digest could be tried', async () => {
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
});
