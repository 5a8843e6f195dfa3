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

test('db:migrate removes a policy and grants that a DBA added, and the view audit.drift no longer lists them', async () => {
  await admin.query(`
    create policy added on public.sites to taxclaims_client using (true);
    grant update on public.sites to taxclaims_client;
    grant execute on function audit.as_admin(regclass, text, uuid, uuid[], uuid) to taxclaims_reporting`);
  expect(await readDrift()).toHaveLength(stale.length + 3);
  await migrate({ adminUrl: database.adminUrl, log });
  expect(await readDrift()).toEqual(stale);
  const { rows } = await admin.query<Found>('select * from audit.findings');
  expect(await findingsBeside(admin, rows)).toEqual([]);
});

test('a deploy leaves some database objects that a DBA added, and the view audit.drift still lists them after the deploy', async () => {
  await admin.query(`
    create unique index by_hand on public.sites (id, site_name);
    create function public.watch() returns event_trigger language plpgsql as $$ begin end $$;
    create event trigger by_hand on sql_drop execute function public.watch()`);
  await migrate({ adminUrl: database.adminUrl, log });
  const drift = await readDrift();
  await admin.query('drop event trigger by_hand; drop function public.watch(); drop index public.by_hand');
  expect(drift).toContainEqual({ kind: 'index', change: 'added', object: 'public.by_hand' });
  // No file of the repository creates event triggers. The view audit.drift therefore compares the event triggers with
  // those at the first deploy.
  expect(drift).toContainEqual({ kind: 'event trigger', change: 'added', object: 'by_hand' });
  expect(await readDrift()).toEqual(stale);
});

test('an auditor cannot delete rows of audit.applied, which stores the database objects of the last deploy', async () => {
  await admin.query('begin; set local role taxclaims_auditor');
  await expect(admin.query('delete from audit.applied')).rejects.toThrow(/permission denied/);
  await admin.query('rollback');
});
