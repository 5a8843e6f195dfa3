import { expect, test } from '@jest/globals';
import { pino } from 'pino';
import { migrate } from '../../../src/admin/deploy/migrate.ts';
import { findingsBeside, type Found } from '../../support/durability.ts';
import { forSuite } from '../../support/suite.ts';
import { openAsSuperuser } from './superuser.ts';

const log = pino({ level: 'silent' });
const { database, admin } = await forSuite(openAsSuperuser());

const readDrift = async (): Promise<unknown[]> =>
  (await admin.query<object>('select kind, change, object from audit.drift')).rows;

/**
 * The rows of the view audit.drift, which lists changed database objects, in a new database. There are such rows only
 * while the expected objects in db/audit/declared are out of date.
 */
const stale = await readDrift();

test('the view audit.drift lists the same changed database objects, whatever search path the session has', async () => {
  await admin.query('begin; set local search_path = app, audit, reporting');
  expect(await readDrift()).toEqual(stale);
  await admin.query('rollback');
});

test('db:migrate removes a policy and grants that a DBA added and restores a dropped policy, and the view audit.drift no longer lists them', async () => {
  await admin.query(`
    create policy added on public.sites to taxclaims_client using (true);
    drop policy clients_select_tenant on public.clients;
    grant update on public.sites to taxclaims_client;
    grant all on public.clients to public;
    grant select (password_hash) on public.users to taxclaims_client;
    grant execute on function app.locate(text, uuid) to public;
    grant execute on function audit.as_admin(regclass, text, uuid, uuid[], uuid) to taxclaims_reporting`);
  expect(await readDrift()).toHaveLength(stale.length + 7);
  await migrate({ adminUrl: database.adminUrl, log });
  expect(await readDrift()).toEqual(stale);
  const { rows } = await admin.query<Found>('select * from audit.findings');
  expect(await findingsBeside(admin, rows)).toEqual([]);
});

test.each([
  ['a deleted holiday', `delete from public.public_holidays where day = '2027-05-06'`, 'public_holidays 2027'],
  [
    'another day',
    `update public.public_holidays set day = '2027-05-07' where day = '2027-05-06'`,
    'public_holidays 2027',
  ],
  [
    'another region',
    `update public.public_holidays set region = 'FR' where day = '2027-12-26'`,
    'public_holidays 2027',
  ],
  ['a deleted commune', `delete from public.communes where code = '69290'`, 'communes 69'],
  ['another name', `update public.communes set name = 'Lyon 10e' where code = '2A004'`, 'communes 2A'],
  ['another successor', `update public.communes set current_code = '75056' where code = '01003'`, 'communes 01'],
  ['other postal codes', `update public.communes set postal_codes = '{1}' where code = '01001'`, 'communes 01'],
])('an auditor sees a changed row of holidays or communes in audit.drift: %s', async (_what, change, object) => {
  await admin.query('begin');
  expect((await admin.query(change)).rowCount).toBe(1);
  await admin.query('set local role taxclaims_auditor');
  const drift = await readDrift();
  await admin.query('rollback');
  expect(drift).toContainEqual({ kind: 'row', change: 'changed', object: `public.${object}` });
  expect(drift).toHaveLength(stale.length + 1);
});

test('an auditor cannot delete rows of audit.applied, which stores the database objects of the last deploy', async () => {
  await admin.query('begin; set local role taxclaims_auditor');
  await expect(admin.query('delete from audit.applied')).rejects.toThrow(/permission denied/);
  await admin.query('rollback');
});
