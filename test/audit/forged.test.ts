import { describe, expect, test } from '@jest/globals';
import { sampledByDay } from '../support/day.ts';
import { listed } from '../support/listed.ts';
import { forSuite } from '../support/suite.ts';
import { openAsSuperuser } from './superuser.ts';

/* A superuser can write to every catalog, also to those that say where something comes from. What they say is believed of
   nothing that opens a way: the audit says what there is, whatever the server says of how it came there. */

const { admin } = await forSuite(openAsSuperuser());

describe('a superuser who writes to the catalogs by hand hides nothing', () => {
  test.each(
    sampledByDay(listed('audit/forged.sql')).map(({ head: [forgery = '', what = '', object = ''], sql }) => [
      forgery,
      what,
      object,
      sql,
    ]),
  )('%s (%s)', async (_forgery, what, object, sql) => {
    await admin.query('begin');
    try {
      await admin.query(sql);
      const { rows } = await admin.query(
        what.startsWith('finding')
          ? `select 'finding ' || finding as what, object from audit.findings`
          : `select 'drift ' || kind as what, object from audit.drift`,
      );
      expect(rows).toContainEqual({ what, object });
    } finally {
      await admin.query('rollback');
    }
  });

  test('what a release gives from the start is told neither as a finding nor as drift', async () => {
    const { rows } = await admin.query(
      `select object from audit.finding_catalog_right union all select object from audit.drift where kind = 'grant'`,
    );
    expect(rows).toEqual([]);
    const { rows: closed } = await admin.query(
      `select object from audit.applied where kind = 'grant' and object like 'function pg\\_read\\_%' and definition = 'without EXECUTE'`,
    );
    expect(closed.length).toBeGreaterThanOrEqual(8);
  });
});
