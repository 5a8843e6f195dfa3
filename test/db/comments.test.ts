import { describe, expect, test } from '@jest/globals';
import type pg from 'pg';
import { pino } from 'pino';
import { migrate } from '../../src/admin/deploy/migrate.ts';
import { createTestDatabase, withAdmin } from '../support/database.ts';
import { forSuite } from '../support/suite.ts';

/* This suite tests that every database object has a comment for analysts and DBAs, who use psql or a BI tool. */

const IN_HOUSE = `n.nspname in ('public', 'app', 'audit', 'reporting')`;

/** SQL that reads the comment of each database object of the project, or null if the object has none. */
const COMMENTS = `
  select 'schema' as kind, n.nspname::text as object, obj_description(n.oid, 'pg_namespace') as comment
  from pg_namespace as n
  where n.nspname in ('app', 'audit', 'reporting')
  union all
  select 'relation', c.oid::regclass::text, obj_description(c.oid, 'pg_class')
  from pg_class as c
  join pg_namespace as n on n.oid = c.relnamespace
  where ${IN_HOUSE} and c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
  union all
  select 'column', c.oid::regclass || '.' || a.attname, col_description(c.oid, a.attnum)
  from pg_class as c
  join pg_namespace as n on n.oid = c.relnamespace
  join pg_attribute as a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  where ${IN_HOUSE} and c.relkind in ('r', 'p', 'v', 'm', 'f')
  union all
  select 'function', f.oid::regprocedure::text, obj_description(f.oid, 'pg_proc')
  from pg_proc as f
  join pg_namespace as n on n.oid = f.pronamespace
  where ${IN_HOUSE}
  order by 1, 2`;

interface Described {
  readonly kind: string;
  readonly object: string;
  readonly comment: string | null;
}

const database = await forSuite(createTestDatabase());

describe('the comments in the database', () => {
  const described = (): Promise<Described[]> =>
    withAdmin(database.adminUrl, async (admin: pg.Client) => {
      // With an empty search path, Postgres prints names together with their schemas.
      await admin.query(`set search_path = ''`);
      return (await admin.query<Described>(COMMENTS)).rows;
    });

  test.each(['schema', 'relation', 'column', 'function'])(
    'every database object of the kind "%s" has a comment',
    async (kind) => {
      const ofKind = (await described()).filter((each) => each.kind === kind);
      expect(ofKind.length).toBeGreaterThan(2);
      expect(ofKind.filter(({ comment }) => comment === null).map(({ object }) => object)).toEqual([]);
    },
  );

  test('every comment in the database has more than one word', async () => {
    const broken = (await described()).filter(({ comment }) => comment !== null && !/^\S+ .+\S$/s.test(comment));
    expect(broken).toEqual([]);
  });

  test('the comment on each kind of problem that audit.findings reports says what the problem allows, how it arises, and how to mend it', async () => {
    const findings = (await described()).filter(
      ({ kind, object }) => kind === 'relation' && object.startsWith('audit.finding_'),
    );
    expect(findings.length).toBeGreaterThan(30);
    expect(findings.filter(({ comment }) => !/^.+\. .+\. Mend: .+\.$/.test(comment ?? ''))).toEqual([]);
  });

  test('a deploy restores database comments that were changed by hand, and does not report such a change', async () => {
    const before = await described();
    await withAdmin(database.adminUrl, async (admin) => {
      const { rows: drift } = await admin.query('table audit.drift');
      await admin.query(`
        comment on table public.clients is 'by hand';
        comment on column public.clients.company_name is null;
        comment on function app.role() is 'by hand';
        comment on view reporting.clients is 'by hand'`);
      expect((await admin.query('table audit.drift')).rows).toEqual(drift);
    });
    expect(await described()).not.toEqual(before);
    await migrate({ adminUrl: database.adminUrl, log: pino({ level: 'silent' }) });
    expect(await described()).toEqual(before);
  });
});
