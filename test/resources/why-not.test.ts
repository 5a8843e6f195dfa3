import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { collide } from '../support/held-row.ts';
import type { Answer } from '../support/http.ts';
import { details, expectError, startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';

/*
 * This suite tests that a response with status 409 names the field that is the reason, and shows nothing that the
 * caller is not allowed to see.
 */

const service = await forSuite(startService());
const own = await service.furnishedTenant('Own');
const second = await service.furnishedTenant('Second');
const foreign = await service.furnishedTenant('Foreign');
/** Tokens of three callers: an account manager and an ADMIN of two clients, and an ADMIN of all clients. */
const manager = await service.token('ACCOUNT_MANAGER', [own.clients, second.clients]);
const limitedAdmin = await service.token('ADMIN', [own.clients, second.clients]);
const unlimitedAdmin = await service.token('ADMIN');

function ask(line: string, body?: object, token = manager): Promise<Answer> {
  return service.ask(line, { token, ...(body && { body }) });
}

async function conflictDetails(answer: Promise<Answer>): Promise<unknown> {
  const settled = await answer;
  expectError(settled, 'ERROR_CONFLICT');
  return details(settled);
}

async function createdId(resource: string, body: object): Promise<string> {
  const answer = await ask(`POST /api/${resource}`, body, unlimitedAdmin);
  expect(answer.status).toBe(201);
  return (answer.json as { id: string }).id;
}

const claim = (tenant = own) =>
  createdId('reclamations', { client_id: tenant.clients, site_id: tenant.sites, claim_type: 'TF', amount: 1 });

async function issued(tenant = own): Promise<string> {
  const id = await createdId('invoices', { client_id: tenant.clients, amount_excl_tax: 100 });
  expect((await ask(`PUT /api/invoices/${id}`, { status: 'ISSUED' }, unlimitedAdmin)).status).toBe(200);
  return id;
}

test('when two users change a claim’s status at once, the later gets 409 with the statuses that are now possible', async () => {
  const id = await claim();
  const move = (status: string) => () => ask(`PUT /api/reclamations/${id}`, { status });
  const answers = await collide(service, { table: 'reclamations', id }, [move('READY_FOR_REVIEW'), move('WITHDRAWN')]);
  const [refused] = answers.filter(({ status }) => status === 409);
  const [{ status } = { status: '' }] = answers.flatMap(({ json, status }) =>
    status === 200 ? [json as { status: string }] : [],
  );
  const { json: history } = await ask(`GET /api/reclamations/${id}/history`);
  expect(history).toEqual([expect.objectContaining({ to_status: status })]);
  expect(refused && details(refused)).toEqual({
    status: `was moved meanwhile: from ${status} you can move it to ${
      status === 'WITHDRAWN' ? 'CLOSED, DRAFT' : 'APPROVED, DRAFT, WITHDRAWN'
    }`,
  });
});

describe('the fields of a record that no change can alter', () => {
  const cannot = 'cannot be changed after creation';

  test.each([
    { path: 'reclamations', kind: 'reclamations', field: 'client_id', present: own.clients, value: second.clients },
    { path: 'sites', kind: 'sites', field: 'client_id', present: own.clients, value: second.clients },
    { path: 'invoices', kind: 'factures', field: 'client_id', present: own.clients, value: second.clients },
    {
      path: 'partner-invoices',
      kind: 'partner_invoices',
      field: 'client_id',
      present: own.clients,
      value: second.clients,
    },
    { path: 'cadastres', kind: 'cadastres', field: 'site_id', present: own.sites, value: second.sites },
    {
      path: 'partner-invoices',
      kind: 'partner_invoices',
      field: 'partner_id',
      present: own.biller,
      value: own.partners,
    },
  ] as const)(
    'PUT /api/$path gets 409 that names $field if $field changes, and succeeds if the present value is sent back',
    async ({ path, kind, field, present, value }) => {
      for (const token of [manager, unlimitedAdmin]) {
        const put = (one: string) => ask(`PUT /api/${path}/${own[kind]}`, { [field]: one }, token);
        expect(await conflictDetails(put(value))).toEqual({ [field]: cannot });
        expect((await put(present)).json).toMatchObject({ [field]: present });
      }
    },
  );

  test('the 409 for a change of a claim names both a field that cannot change and a status that cannot follow the present one', async () => {
    const body = { partner_id: own.partners, status: 'RECEIVED', number: 'F-1' };
    expect(await conflictDetails(ask(`PUT /api/partner-invoices/${own.partner_invoices}`, { ...body }))).toEqual({
      partner_id: cannot,
      status: expect.stringContaining('is RECEIVED already'),
    });
  });
});

test.each([
  ['was sent', `status = 'SUBMITTED', submitted_at = '2026-01-05T10:00:00.000Z'`],
  ['left the desk without a time of sending', `status = 'WITHDRAWN'`],
])('an account manager cannot delete a claim that %s, nor its site, whereas an ADMIN can', async (_title, set) => {
  const tenant = await service.furnishedTenant('Sent');
  const lines = [`DELETE /api/reclamations/${tenant.reclamations}`, `DELETE /api/sites/${tenant.sites}`];
  await service.admin(
    `set session_replication_role = replica; update public.reclamations set ${set} where id = '${tenant.reclamations}'; reset session_replication_role`,
  );
  const manager = await service.token('ACCOUNT_MANAGER', [tenant.clients]);
  for (const line of lines) expect([line, (await ask(line, undefined, manager)).status]).toEqual([line, 403]);
  expect((await ask(`GET /api/reclamations/${tenant.reclamations}`, undefined, manager)).status).toBe(200);
  const admin = await service.token('ADMIN', [tenant.clients]);
  for (const line of lines) expect([line, (await ask(line, undefined, admin)).status]).toEqual([line, 204]);
});

test('an account manager cannot delete a claim that was sent and stepped back, nor its site, whereas an ADMIN can', async () => {
  const { clients, sites, reclamations } = await service.furnishedTenant('Stepped back');
  const manager = await service.token('ACCOUNT_MANAGER', [clients]);
  for (const status of ['READY_FOR_REVIEW', 'APPROVED', 'SUBMITTED', 'APPROVED'])
    expect(
      (await ask(`PUT /api/reclamations/${reclamations}`, { status, status_reason: `To ${status}` }, manager)).status,
    ).toBe(200);
  const lines = [`DELETE /api/reclamations/${reclamations}`, `DELETE /api/sites/${sites}`];
  for (const line of lines) expect([line, (await ask(line, undefined, manager)).status]).toEqual([line, 403]);
  const admin = await service.token('ADMIN', [clients]);
  for (const line of lines) expect([line, (await ask(line, undefined, admin)).status]).toEqual([line, 204]);
});

test('an account manager can delete an APPROVED claim that was not sent', async () => {
  const { clients, reclamations } = await service.furnishedTenant('Approved');
  const manager = await service.token('ACCOUNT_MANAGER', [clients]);
  for (const status of ['READY_FOR_REVIEW', 'APPROVED'])
    expect((await ask(`PUT /api/reclamations/${reclamations}`, { status }, manager)).status).toBe(200);
  expect((await ask(`DELETE /api/reclamations/${reclamations}`, undefined, manager)).status).toBe(204);
});

test('the deletion of a client gets 409 with the number of its issued invoices', async () => {
  const tenant = await service.furnishedTenant('Held');
  const token = await service.token('ADMIN', [tenant.clients]);
  await issued(tenant);
  await issued(tenant);
  await issued(foreign);
  for (const one of [token, unlimitedAdmin])
    expect(await conflictDetails(ask(`DELETE /api/clients/${tenant.clients}`, undefined, one))).toEqual({
      invoices: 'issued for this client, and never deleted: 2',
    });
});

test('the deletion of a partner with bills gets 409 with the number of bills that the caller can see', async () => {
  const partner = await createdId('partners', { name: 'All', client_ids: [own.clients, foreign.clients] });
  const bill = (client_id: string) =>
    createdId('partner-invoices', { client_id, partner_id: partner, number: randomUUID(), amount_excl_tax: 1 });
  const remove = (token: string) => conflictDetails(ask(`DELETE /api/partners/${partner}`, undefined, token));
  // The test’s partner also works for a client that the ADMIN of two clients cannot see.
  expect(await remove(limitedAdmin)).toEqual({ id: 'belongs to a record that is still in use' });
  await bill(foreign.clients);
  await bill(foreign.clients);
  expect(await remove(limitedAdmin)).toEqual({ id: 'belongs to a record that is still in use' });
  await bill(own.clients);
  expect(await remove(limitedAdmin)).toEqual({ partner_invoices: 'bills of this partner: 1' });
  expect(await remove(unlimitedAdmin)).toEqual({ partner_invoices: 'bills of this partner: 3' });
  await service.admin('delete from public.partner_invoices where partner_id = $1', [partner]);
  expect((await ask(`DELETE /api/partners/${partner}`, undefined, unlimitedAdmin)).status).toBe(204);
});

test('the creation of a user with a stored email gets 409, with that user’s id only if the caller is allowed to see that user', async () => {
  const user = (client: string) => ({
    ...{ email: `${randomUUID()}@b.example`, name: 'Zoé', role: 'CLIENT', client_access: [client] },
  });
  const [seen, unseen] = [user(own.clients), user(foreign.clients)];
  const [id, other] = [await createdId('users', seen), await createdId('users', unseen)];
  const taken = { email: 'must not be the address of another user' };
  const again = (body: object, token: string) => conflictDetails(ask('POST /api/users', body, token));
  const inCapitals = { ...user(own.clients), email: seen.email.toUpperCase() };
  expect(await again(inCapitals, limitedAdmin)).toEqual({ ...taken, existing_id: id });
  const stranger = { ...user(own.clients), email: unseen.email };
  expect(await again(stranger, limitedAdmin)).toEqual(taken);
  expect(await again(stranger, unlimitedAdmin)).toEqual({ ...taken, existing_id: other });
});
