import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { person } from '../support/people.ts';
import { expectError, startService } from '../support/service.ts';
import { readPages } from './paging.ts';
import { forSuite } from '../support/suite.ts';

/*
 * This suite tests the list of a record’s changes (its audit history). Other tests check who is allowed to read which
 * list.
 */

const service = await forSuite(startService());
const own = await service.furnishedTenant('Boulangerie Martin');
const CLAIM = `/api/reclamations/${own.reclamations}`;

interface Change {
  readonly at: string;
  readonly user: { readonly id: string; readonly name: string | null } | null;
  readonly field: string;
  readonly old: unknown;
  readonly new: unknown;
}

async function changes(path: string, clients = [own.clients]): Promise<Change[]> {
  const token = await service.token('ACCOUNT_MANAGER', clients);
  return (await service.ask(`GET ${path}/changes`, { token })).json as Change[];
}

test('the list of changes of a claim has the author, each changed field, and the values in the form of the API’s records', async () => {
  const { id, token } = await person(service, 'TAX_SPECIALIST', [own.clients], { name: 'Ada' });
  const before = (await service.ask(`GET ${CLAIM}`, { token })).json as Record<string, unknown>;
  const body = {
    amount: '1100.00',
    grounds: 'Erreur "de" surface',
    submitted_at: '2026-01-05T08:00:00.5+01:00',
    collection_date: '2025-08-31',
  };
  const answer = await service.ask(`PUT ${CLAIM}`, { token, body });
  const after = answer.json as Record<string, unknown>;
  const found = await changes(CLAIM);
  expect(found.slice(0, 6)).toEqual(
    // The database derives two days from the given ones.
    [...Object.keys(body), 'claim_deadline', 'response_due_at'].toSorted().map((field) => ({
      ...{ at: expect.any(String), user: { id, name: 'Ada' }, field },
      ...{ old: before[field], new: after[field] },
    })),
  );
  expect(after['submitted_at']).toBe('2026-01-05T07:00:00.500Z');
});

test('the list of changes of a record is complete and newest first over all its pages, and in CSV contains no formula', async () => {
  const token = await service.token('ADMIN', [own.clients]);
  for (const notice_reference of ['=1+1', 'second'])
    await service.ask(`PUT ${CLAIM}`, { token, body: { notice_reference, tax_year: 2020 + notice_reference.length } });
  const whole = await changes(CLAIM);
  const pages = await readPages(service, `${CLAIM}/changes?limit=1`, token);
  expect(pages.map(({ json }) => json)).toEqual(whole.map((change) => [change]));
  expect(whole.map(({ at }) => at)).toEqual(
    whole
      .map(({ at }) => at)
      .toSorted()
      .toReversed(),
  );
  const csv = await service.ask(`GET ${CLAIM}/changes`, { token, headers: { accept: 'text/csv' } });
  expect(csv.text).toContain(`,'=1+1`);
});

test('a creation, a read and a PUT without differences add nothing to a record’s list of changes', async () => {
  const token = await service.token('ADMIN', [own.clients]);
  const body = { client_id: own.clients, site_name: 'Dépôt' };
  const { id } = (await service.ask('POST /api/sites', { token, body })).json as { id: string };
  await service.ask(`PUT /api/sites/${id}`, { token, body });
  expect(await changes(`/api/sites/${id}`)).toEqual([]);
});

test('a request for the list of changes of a deleted or unknown record gets 404', async () => {
  const token = await service.token('ADMIN', [own.clients]);
  const body = { client_id: own.clients, site_name: 'Dépôt' };
  const { id } = (await service.ask('POST /api/sites', { token, body })).json as { id: string };
  await service.ask(`PUT /api/sites/${id}`, { token, body: { site_name: 'Atelier' } });
  expect(await changes(`/api/sites/${id}`)).toHaveLength(1);
  await service.ask(`DELETE /api/sites/${id}`, { token });
  for (const gone of [id, randomUUID()])
    expectError(await service.ask(`GET /api/sites/${gone}/changes`, { token }), 'ERROR_NOT_FOUND');
});
