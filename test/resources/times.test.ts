import { beforeEach, expect, test } from '@jest/globals';
import { forSuite } from '../support/suite.ts';
import { startService } from '../support/service.ts';
import type { Tenant } from '../support/tenant.ts';
import { withAdmin } from '../support/database.ts';

/*
 * Postgres stores microseconds, and callers see milliseconds. This suite tests that no caller loses a record or changes
 * a stored time by that. `service.ask` compares the times of each answer with the form that described.ts requires.
 */

const service = await forSuite(startService());

const STORED = '2026-03-29T00:59:59.123456Z';
const SHOWN = '2026-03-29T00:59:59.123Z';

let own: Tenant;
let token: string;

beforeEach(async () => {
  own = await service.furnishedTenant('Boulangerie Martin');
  token = await service.token('ADMIN', [own.clients]);
  await withAdmin(service.postgres.adminUrl, async (admin) => {
    await admin.query('set session_replication_role = replica');
    const set = `set created_at = '${STORED}', updated_at = '${STORED}'`;
    await admin.query(`update public.reclamations ${set}, submitted_at = '${STORED}' where id = $1`, [
      own.reclamations,
    ]);
    await admin.query(`update public.notes ${set}, done_at = '${STORED}' where id = $1`, [own.notes]);
  });
});

const claims = async (query: string) => {
  const { json } = await service.ask(`GET /api/reclamations?client_id=${own.clients}&${query}`, { token });
  return (json as { id: string }[]).map(({ id }) => id);
};

test('the filters _from and _to find a record by each of its times as the answer shows the time', async () => {
  for (const time of ['created', 'updated', 'submitted']) {
    const found = await claims(`${time}_from=${SHOWN}&${time}_to=${SHOWN}`);
    expect([time, found]).toEqual([time, [own.reclamations]]);
    expect(await claims(`${time}_to=2026-03-29T00:59:59.122Z`)).not.toContain(own.reclamations);
    expect(await claims(`${time}_from=2026-03-29T00:59:59.124Z`)).not.toContain(own.reclamations);
    expect(await claims(`${time}_to=2026-03-29T02:59:59.123%2B02:00`)).toContain(own.reclamations);
    expect(await claims(`${time}_to=2026-03-29T00:59:59.123455Z`)).not.toContain(own.reclamations);
  }
  expect(await claims(`sort=updated_at&updated_from=${SHOWN}`)).toContain(own.reclamations);
});

test('a time that is sent back as it was shown keeps its microseconds, and another time replaces it', async () => {
  const times = async () =>
    service.sql`select submitted_at = ${STORED} as is_stored from public.reclamations where id = ${own.reclamations}`;
  const put = (submitted_at: string) =>
    service.ask(`PUT /api/reclamations/${own.reclamations}`, { token, body: { submitted_at } });
  const same = await put(SHOWN);
  expect([same.status, (same.json as { updated_at: string }).updated_at]).toEqual([200, SHOWN]);
  expect(await times()).toEqual([{ is_stored: true }]);
  const other = await put('2026-03-29T00:59:59.124Z');
  expect(other.json).toMatchObject({ submitted_at: '2026-03-29T00:59:59.124Z' });
  expect(await times()).toEqual([{ is_stored: false }]);
});

test('times in CSV, in the list of changes and in personal data have three digits of a second', async () => {
  const csv = await service.ask(`GET /api/reclamations?client_id=${own.clients}`, {
    token,
    headers: { accept: 'text/csv' },
  });
  expect(csv.text).toContain(SHOWN);
  await service.ask(`PUT /api/reclamations/${own.reclamations}`, {
    token,
    body: { submitted_at: '2026-01-31T12:00:00Z' },
  });
  const changed = await service.ask(`GET /api/reclamations/${own.reclamations}/changes`, { token });
  expect((changed.json as { field: string }[]).find(({ field }) => field === 'submitted_at')).toMatchObject({
    ...{ old: SHOWN, new: '2026-01-31T12:00:00.000Z' },
  });
  const person = await service.ask(`GET /api/users/${own.users}/personal-data`, {
    token: await service.token('ADMIN'),
  });
  const times = [csv.text, person.text].join().match(/\d{4}-\d\d-\d\dT\d\d:\d\d:[^",\s]*/g) ?? [];
  expect(times.length).toBeGreaterThan(4);
  expect(times.filter((time) => !/:\d\d\.\d{3}Z$/.test(time))).toEqual([]);
});
