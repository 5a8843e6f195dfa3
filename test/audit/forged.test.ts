import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type pg from 'pg';
import { openAsSuperuser } from './superuser.ts';

/* A superuser can write to every catalog, also to those that say where something comes from. What they say is believed of
   nothing that opens a way: the audit says what there is, whatever the server says of how it came there. */

const ELSEWHERE = 'create schema aside; grant usage on schema aside to taxclaims_reporting;';
const EVIL = `${ELSEWHERE} create extension pg_trgm schema aside;`;
const forget = (catalog: string, object: string): string => `
  delete from pg_depend where (classid, objid) = ('${catalog}'::regclass, ${object});
  delete from pg_shdepend where (classid, objid) = ('${catalog}'::regclass, ${object});`;

interface Forgery {
  readonly what: string;
  readonly sql: string;
  readonly said: { readonly what: string; readonly object: string };
}

const FORGERIES: readonly Forgery[] = [
  ...['finding catalog_right', 'drift grant'].map((what) => ({
    what: `a right to read the server’s files, which the server says is from the start (${what})`,
    sql: `grant execute on function pg_read_file(text) to public;
      update pg_init_privs set initprivs = (select proacl from pg_proc where oid = 'pg_read_file(text)'::regprocedure)
      where objoid = 'pg_read_file(text)'::regprocedure`,
    said: {
      what,
      object: what.startsWith('finding') ? 'pg_read_file(text)' : 'function pg_read_file(text) to PUBLIC',
    },
  })),
  {
    what: 'a right that a function has by an empty list, without a word of it',
    sql: `update pg_proc set proacl = null where oid = 'pg_ls_dir(text)'::regprocedure;
      delete from pg_init_privs where objoid = 'pg_ls_dir(text)'::regprocedure`,
    said: { what: 'finding catalog_right', object: 'pg_ls_dir(text)' },
  },
  {
    what: 'samples of every column for a role, which the server says is from the start',
    sql: `grant select on pg_statistic to taxclaims_reporting;
      update pg_init_privs set initprivs = (select relacl from pg_class where oid = 'pg_statistic'::regclass)
      where objoid = 'pg_statistic'::regclass`,
    said: { what: 'finding catalog_right', object: 'pg_catalog.pg_statistic' },
  },
  {
    what: 'a function of Postgres under another name, put into an extension',
    sql: `${EVIL} create function aside.peek(text) returns text language internal as 'pg_read_file_all';
      alter extension pg_trgm add function aside.peek(text)`,
    said: { what: 'finding function_unbounded', object: 'aside.peek(text)' },
  },
  {
    what: 'an extension that somebody put something into',
    sql: `${EVIL} create function aside.more() returns integer language sql security definer return 1;
      alter extension pg_trgm add function aside.more()`,
    said: { what: 'drift extension', object: 'pg_trgm' },
  },
  {
    what: 'an operator for types of Postgres’s own, put into an extension',
    sql: `${EVIL} create function aside.same(varchar, text) returns boolean language sql return true;
      create operator aside.= (leftarg = varchar, rightarg = text, function = aside.same);
      insert into pg_depend select 'pg_operator'::regclass, o.oid, 0, 'pg_extension'::regclass, e.oid, 0, 'e'
      from pg_operator as o, pg_extension as e where o.oprnamespace = 'aside'::regnamespace and o.oprname = '=' and e.extname = 'pg_trgm'`,
    said: { what: 'finding operator_added', object: 'operator aside.=(character varying,text)' },
  },
  {
    what: 'a view that reads as its owner, put into an extension',
    sql: `${EVIL} create view aside.leak as select id from public.clients; grant select on aside.leak to taxclaims_reporting;
      alter extension pg_trgm add view aside.leak`,
    said: { what: 'drift schema', object: 'aside' },
  },
  {
    what: 'a policy that is said to be a part of an extension',
    sql: `${EVIL} create policy evil on public.sites to taxclaims_reporting using (true);
      insert into pg_depend select 'pg_policy'::regclass, p.oid, 0, 'pg_proc'::regclass, 'aside.similarity(text,text)'::regprocedure, 0, 'i'
      from pg_policy as p where p.polname = 'evil'`,
    said: { what: 'drift policy', object: 'evil on public.sites' },
  },
  {
    what: 'an extension that was never made, with a function of its name',
    sql: `${ELSEWHERE} create function aside.peek(text) returns text language internal as 'pg_read_file_all';
      insert into pg_extension select 4711, 'hstore', 10, 'aside'::regnamespace, true, '1.8', null, null;
      insert into pg_depend values ('pg_proc'::regclass, 'aside.peek(text)'::regprocedure, 0, 'pg_extension'::regclass, 4711, 0, 'e')`,
    said: { what: 'finding function_unbounded', object: 'aside.peek(text)' },
  },
  {
    what: 'a policy of which pg_depend knows nothing',
    sql: `create policy evil on public.sites to taxclaims_reporting using (true);
      ${forget('pg_policy', `(select oid from pg_policy where polname = 'evil')`)}`,
    said: { what: 'drift policy', object: 'evil on public.sites' },
  },
  {
    what: 'a trigger of which pg_depend knows nothing',
    sql: `create trigger evil before update on public.sites for each row execute function suppress_redundant_updates_trigger();
      ${forget('pg_trigger', `(select oid from pg_trigger where tgname = 'evil')`)}`,
    said: { what: 'drift trigger', object: 'evil on public.sites' },
  },
  {
    what: 'a trigger that says it is Postgres’s own',
    sql: `create function public.copy() returns trigger language plpgsql as $$ begin return null; end $$;
      create trigger evil after insert on public.sites for each row execute function public.copy();
      update pg_trigger set tgisinternal = true where tgname = 'evil'`,
    said: { what: 'finding trigger_added', object: 'trigger evil on public.sites' },
  },
  {
    what: 'a table among the house’s of which pg_depend knows nothing',
    sql: `create table public.evil (id integer); ${forget('pg_class', `'public.evil'::regclass`)}`,
    said: { what: 'drift table', object: 'public.evil' },
  },
  ...['finding view_without_invoker', 'drift schema'].map((what) => ({
    what: `a view elsewhere of which pg_depend knows nothing (${what})`,
    sql: `create schema aside; create view aside.leak as select id from public.clients; grant select on aside.leak to public;
      ${forget('pg_rewrite', `(select oid from pg_rewrite where ev_class = 'aside.leak'::regclass)`)}`,
    said: { what, object: what.startsWith('finding') ? 'aside.leak' : 'aside' },
  })),
  {
    what: 'a function elsewhere that runs as the definer, of which pg_shdepend knows nothing',
    sql: `create schema aside; create function aside.reach() returns integer language sql security definer return 1;
      alter function aside.reach() owner to taxclaims_definer; ${forget('pg_proc', `'aside.reach()'::regprocedure`)}`,
    said: { what: 'drift function', object: 'aside.reach()' },
  },
  {
    what: 'a function that has a number of Postgres’s own',
    sql: `${ELSEWHERE} create function aside.peek() returns setof uuid language sql security definer
        set search_path = '' begin atomic select id from public.clients; end;
      update pg_proc set oid = 9999 where oid = 'aside.peek()'::regprocedure`,
    said: { what: 'finding function_runs_as_owner', object: 'aside.peek()' },
  },
];

describe('a superuser who writes to the catalogs by hand hides nothing', () => {
  let admin: pg.Client;
  let close: () => Promise<void>;

  beforeAll(async () => {
    ({ admin, close } = await openAsSuperuser());
  });

  afterAll(() => close());

  test.each(FORGERIES.map((forgery) => [forgery.what, forgery] as const))(
    '%s',
    async (_what, { sql, said }) => {
      await admin.query('begin');
      try {
        await admin.query(sql);
        const { rows } = await admin.query(
          said.what.startsWith('finding')
            ? `select 'finding ' || finding as what, object from audit.findings`
            : `select 'drift ' || kind as what, object from audit.drift`,
        );
        expect(rows).toContainEqual(said);
      } finally {
        await admin.query('rollback');
      }
    },
  );

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
