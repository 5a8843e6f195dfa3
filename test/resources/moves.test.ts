import { randomUUID } from 'node:crypto';
import { createSubjectUuid } from '../../src/identity/subject.ts';
import { expect, test } from '@jest/globals';
import type { Role } from '../../src/identity/caller.ts';
import { expectError, expectInvalid, startService } from '../support/service.ts';
import type { Answer } from '../support/http.ts';
import { forSuite } from '../support/suite.ts';
import { words } from '../support/words.ts';

/*
 * This suite tests the history and the dates of a claim’s status changes. possible-moves.test.ts tests which status
 * changes are possible, why-not.test.ts simultaneous ones, and versions.test.ts simultaneous changes with one ETag.
 */

const service = await forSuite(startService());
const tenant = await service.tenant('Boulangerie Martin');

/** Inserts a claim directly in a status, without any earlier status changes. */
async function claim(status: string, columns: Record<string, string> = {}): Promise<string> {
  const id = randomUUID();
  const names = Object.keys(columns);
  await service.admin(
    `insert into public.reclamations (${['id', 'client_id', 'site_id', 'claim_type', 'amount', 'status', ...names].join()})
     values ($1, $2, $3, 'TF', 100, $4 ${names.map((_name, index) => `, $${index + 5}`).join('')})`,
    [id, tenant.clients, tenant.sites, status, ...Object.values(columns)],
  );
  return id;
}

async function move(id: string, status: string, role: Role = 'ADMIN', more: object = {}): Promise<Answer> {
  const token = await service.token(role, [tenant.clients]);
  return service.ask(`PUT /api/reclamations/${id}`, { token, body: { status, ...more } });
}

async function history(id: string): Promise<Record<string, unknown>[]> {
  const token = await service.token('CLIENT', [tenant.clients]);
  return (await service.ask(`GET /api/reclamations/${id}/history`, { token })).json as Record<string, unknown>[];
}

test.each(['draft', 'UNKNOWN', '', ' DRAFT', 'X'.repeat(51), null, 1, ['DRAFT'], true])(
  'a request that sets a claim’s status to %j gets 400 that names the field status',
  async (status) => {
    const id = await claim('DRAFT');
    const token = await service.token('ADMIN', [tenant.clients]);
    const answer = await service.ask(`PUT /api/reclamations/${id}`, { token, body: { status } });
    expectInvalid(answer, ['status']);
  },
);

test('a request that changes a claim to a status that cannot follow the present one changes no other field of the claim either', async () => {
  const id = await claim('DRAFT');
  expectError(await move(id, 'CLOSED', 'ADMIN', { amount: 5 }), 'ERROR_CONFLICT');
  const rows = await service.admin('select amount::text from public.reclamations where id = $1', [id]);
  expect([rows, await history(id)]).toEqual([[{ amount: '100.00' }], []]);
});

test('a PUT that sends a claim back unchanged adds nothing to the claim’s history of status changes', async () => {
  const id = await claim('SUBMITTED');
  const token = await service.token('TAX_SPECIALIST', [tenant.clients]);
  const { json } = await service.ask(`GET /api/reclamations/${id}`, { token });
  const answer = await service.ask(`PUT /api/reclamations/${id}`, { token, body: json as object });
  expect(answer.status).toBe(200);
  expect(await history(id)).toEqual([]);
});

test('the history of a claim has each status change with user, time, old and new status', async () => {
  const id = await claim('DRAFT');
  const path = words('READY_FOR_REVIEW DRAFT READY_FOR_REVIEW APPROVED SUBMITTED REJECTED CLOSED');
  for (const status of path) expect((await move(id, status, 'ACCOUNT_MANAGER')).status).toBe(200);
  const moves = (await history(id)).toReversed();
  expect(moves.map((one) => one['to_status'])).toEqual(path);
  expect(moves.map((one) => one['from_status'])).toEqual(['DRAFT', ...path.slice(0, -1)]);
  const { issuer } = service.identity;
  const user = createSubjectUuid(issuer, 'idp|ACCOUNT_MANAGER');
  expect(new Set(moves.map(({ changed_by, actor }) => `${String(changed_by)} ${String(actor)}`))).toEqual(
    new Set([`${user} ${user}`]),
  );
  const times = moves.map((one) => Date.parse(String(one['changed_at'])));
  expect(times).toEqual(times.toSorted((a, b) => a - b));
});

test('a claim’s first change to SUBMITTED sets submitted_at, and response_due_at six months later; a second change to SUBMITTED does not', async () => {
  const id = await claim('APPROVED');
  const { submitted_at: first, response_due_at: due } = (await move(id, 'SUBMITTED')).json as Dates;
  const [row] =
    await service.sql`select ${due}::timestamptz = app.response_due_at(null, ${first}::timestamptz, false) as due`;
  expect(row).toEqual({ due: true });
  await move(id, 'REGULARISATION_REQUESTED');
  expect((await move(id, 'SUBMITTED')).json).toMatchObject({ submitted_at: first, response_due_at: due });
});

test('a claim’s submitted_at outside the years 1900 to 2200 is refused in any time zone', async () => {
  const id = await claim('APPROVED');
  for (const time of ['9999-12-31T23:59:59-14:00', '0001-01-01T00:00:00+14:00', '2201-01-01T00:00:00.000Z']) {
    const answer = await move(id, 'SUBMITTED', 'ADMIN', { submitted_at: time });
    expectError(answer, 'ERROR_VALIDATION', { submitted_at: 'must lie between 1900 and 2200' });
  }
});

interface Dates {
  readonly submitted_at: string;
  readonly response_due_at: string;
}
