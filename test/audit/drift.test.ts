import { describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { migrate } from '../../src/db/deploy/migrate.ts';
import { sampledByDay } from '../support/day.ts';
import { findingsBeside } from '../support/durability.ts';
import type { Found } from '../support/durability.ts';
import { listed, sqlFor } from '../support/listed.ts';
import { forSuite } from '../support/suite.ts';
import { openAsSuperuser } from './superuser.ts';

const DRIFT = 'select kind, change, object from audit.drift';

const { database, admin } = await forSuite(openAsSuperuser());

describe('audit.drift', () => {
  test('is empty in a database as it was migrated, and does not depend on the search path of whoever asks', async () => {
    expect((await admin.query(DRIFT)).rows).toEqual([]);
    await admin.query('begin; set local search_path = app, audit, reporting');
    expect((await admin.query(DRIFT)).rows).toEqual([]);
    await admin.query('rollback');
  });

  test.each(
    sampledByDay(listed('audit/drift.sql')).map(
      ({ head: [what = '', change, kind, object], sql }) => [what, sql, { kind, change, object }] as const,
    ),
  )('shows a DBA %s', async (_what, sql, fact) => {
    await admin.query('begin');
    try {
      await admin.query(sqlFor(database, sql));
      expect((await admin.query(DRIFT)).rows).toContainEqual(fact);
    } finally {
      await admin.query('rollback');
    }
  });

  test('a login that a deployment makes is no drift', async () => {
    await admin.query('begin; create role test_login login in role taxclaims_api');
    expect((await admin.query(DRIFT)).rows).toEqual([]);
    await admin.query('rollback');
  });

  test('db:migrate takes back what was changed by hand, and drift is empty again', async () => {
    await admin.query(`
      create policy added on public.sites to taxclaims_client using (true);
      grant update on public.sites to taxclaims_client;
      grant execute on function audit.as_admin(regclass, text, uuid, uuid[], uuid) to taxclaims_reporting`);
    expect((await admin.query(DRIFT)).rows).toHaveLength(3);
    await migrate({ adminUrl: database.adminUrl, log: pino({ level: 'silent' }) });
    expect((await admin.query(DRIFT)).rows).toEqual([]);
    const { rows } = await admin.query<Found>('select * from audit.findings');
    expect(await findingsBeside(admin, rows)).toEqual([]);
  });

  test('a deploy blesses nothing: what it does not take back is drift after it', async () => {
    const changes = `
      create unique index by_hand on public.sites (id, site_name);
      create function public.watch() returns event_trigger language plpgsql as $$ begin end $$;
      create event trigger by_hand on sql_drop execute function public.watch()`;
    await admin.query(changes);
    await migrate({ adminUrl: database.adminUrl, log: pino({ level: 'silent' }) });
    const { rows } = await admin.query(`${DRIFT} where object = any (array['public.by_hand', 'by_hand'])`);
    await admin.query('drop event trigger by_hand; drop function public.watch(); drop index public.by_hand');
    expect(rows).toEqual(
      expect.arrayContaining([
        { kind: 'index', change: 'added', object: 'public.by_hand' },
        // Of the surroundings, which the repository cannot know, the first deploy took what there was.
        { kind: 'event trigger', change: 'added', object: 'by_hand' },
      ]),
    );
    expect((await admin.query(DRIFT)).rows).toEqual([]);
  });

  test('nobody but the owner writes down what was applied', async () => {
    await admin.query('begin; set local role taxclaims_auditor');
    await expect(admin.query('delete from audit.applied')).rejects.toThrow(/permission denied/);
    await admin.query('rollback');
  });
});
