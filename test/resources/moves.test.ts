import { expect, test } from '@jest/globals';
import { expectError, expectInvalid, startService } from '../support/service.ts';
import type { Answer } from '../support/http.ts';
import { forSuite } from '../support/suite.ts';

/*
 * This suite tests the dates of a claim’s status changes. possible-moves.test.ts tests which status changes are possible,
 * why-not.test.ts simultaneous ones, versions.test.ts simultaneous changes with one ETag, and test/law their history.
 */

const service = await forSuite(startService());
const tenant = await service.tenant('Boulangerie Martin');

const token = await service.token('ADMIN', [tenant.clients]);

/** Inserts a claim directly in a status, without any earlier status changes. */
async function claim(status: string): Promise<string> {
  const [row] = await service.admin(
    `insert into public.reclamations (client_id, site_id, claim_type, amount, status) values ($1, $2, 'TF', 100, $3)
     returning id`,
    [tenant.clients, tenant.sites, status],
  );
  return String(row?.['id']);
}

const change = (id: string, body: object): Promise<Answer> =>
  service.ask(`PUT /api/reclamations/${id}`, { token, body });

test.each(['draft', 'UNKNOWN', '', ' DRAFT', 'X'.repeat(51), null, 1, ['DRAFT'], true])(
  'a request that sets a claim’s status to %j gets 400 that names the field status',
  async (status) => {
    expectInvalid(await change(await claim('DRAFT'), { status }), ['status']);
  },
);

test('a request that changes a claim to a status that cannot follow the present one changes no other field of the claim either', async () => {
  const id = await claim('DRAFT');
  expectError(await change(id, { status: 'CLOSED', amount: 5 }), 'ERROR_CONFLICT');
  const rows = await service.admin('select amount::text from public.reclamations where id = $1', [id]);
  const { json: history } = await service.ask(`GET /api/reclamations/${id}/history`, { token });
  expect([rows, history]).toEqual([[{ amount: '100.00' }], []]);
});

test('a claim’s first change to SUBMITTED sets submitted_at, and response_due_at six months later; a second change to SUBMITTED does not', async () => {
  const id = await claim('APPROVED');
  const { submitted_at: first, response_due_at: due } = (await change(id, { status: 'SUBMITTED' })).json as Dates;
  const [row] =
    await service.sql`select ${due}::timestamptz = app.response_due_at(null, ${first}::timestamptz, false) as due`;
  expect(row).toEqual({ due: true });
  await change(id, { status: 'REGULARISATION_REQUESTED' });
  const again = await change(id, { status: 'SUBMITTED' });
  expect(again.json).toMatchObject({ submitted_at: first, response_due_at: due });
});

test('a claim’s submitted_at outside the years 1900 to 2200 is refused in any time zone', async () => {
  const id = await claim('APPROVED');
  for (const time of ['9999-12-31T23:59:59-14:00', '0001-01-01T00:00:00+14:00', '2201-01-01T00:00:00.000Z']) {
    const answer = await change(id, { status: 'SUBMITTED', submitted_at: time });
    expectError(answer, 'ERROR_VALIDATION', { submitted_at: 'must lie between 1900 and 2200' });
  }
});

interface Dates {
  readonly submitted_at: string;
  readonly response_due_at: string;
}
