import { describe, expect, test } from '@jest/globals';
import { forSuite } from '../../support/suite.ts';
import { openAsSuperuser } from './superuser.ts';

/** SQL that creates database objects of kinds that the service does not use, for example a collation. */
const ONE_OF_EACH = `
  create publication one for table public.sites where (true);
  alter publication one add tables in schema reporting;
  create type public.span as range (subtype = integer);
  create type public.mood as enum ('well', 'ill');
  create cast (public.mood as integer) with inout;
  create transform for public.mood language sql (from sql with function pg_catalog.time_support(internal));
  create statistics public.one on client_id, id from public.sites;
  create table public.parent (id integer) partition by range (id);
  create table public.child partition of public.parent for values from (1) to (2);
  create foreign data wrapper one;
  create server one foreign data wrapper one;
  create user mapping for public server one;
  create foreign table public.elsewhere (id integer) server one;
  create aggregate public.total (integer) (sfunc = pg_catalog.int4pl, stype = integer);
  create function public.watch() returns event_trigger language plpgsql as $$ begin end $$;
  create event trigger one on ddl_command_end execute function public.watch();
  create operator public.=== (leftarg = integer, rightarg = integer, function = pg_catalog.int4eq);
  create operator class public.one for type integer using btree as operator 1 <, function 1 btint4cmp(integer, integer);
  create access method one type index handler bthandler;
  create collation public.one (locale = 'C');
  create conversion public.one for 'LATIN1' to 'UTF8' from pg_catalog.iso8859_1_to_utf8;
  create text search template public.one (lexize = dsimple_lexize);
  create text search dictionary public.one (template = pg_catalog.simple);
  create text search parser public.one (start = prsd_start, gettoken = prsd_nexttoken, end = prsd_end, lextypes = prsd_lextype);
  create text search configuration public.one (copy = pg_catalog.simple);
  create subscription one connection 'dbname=none' publication one with (connect = false);
  alter table public.sites add constraint positive check (id is not null) not valid;
  set local allow_system_table_mods = on;
  insert into pg_seclabel (objoid, classoid, objsubid, provider, label)
  values ('public.sites'::regclass, 'pg_class'::regclass, 0, 'one', 'secret');
  insert into pg_shseclabel (objoid, classoid, provider, label)
  values ('taxclaims_owner'::regrole, 'pg_authid'::regclass, 'one', 'secret');`;

const { admin } = await forSuite(openAsSuperuser());

describe('the Postgres catalogs that the views of the schema audit read', () => {
  async function read(sql: string): Promise<string[]> {
    const { rows } = await admin.query<[string]>({ text: sql, rowMode: 'array' });
    return rows.map(([value]) => value);
  }

  test('the function audit.catalogs lists every system catalog of Postgres, with an explanation', async () => {
    const listed = await read('select catalog from audit.catalogs()');
    const missing = await read(
      `select relname from pg_class where relnamespace = 'pg_catalog'::regnamespace and relkind = 'r' order by relname`,
    );
    expect(missing.filter((catalog) => !listed.includes(catalog))).toEqual([]);
    expect(await read('select catalog from audit.catalogs() where length(explanation) < 3')).toEqual([]);
  });

  test('the function audit.catalog_rows returns every column of the Postgres catalogs, except those that audit.catalog_columns excludes', async () => {
    await admin.query('begin');
    await admin.query(ONE_OF_EACH);
    const columns = await read(
      `select c.relname || '.' || a.attname
       from audit.catalogs() as l
       join pg_class as c on c.relname = l.catalog and c.relnamespace = 'pg_catalog'::regnamespace
       join pg_attribute as a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
       where l.kind is not null
           and not exists (select from audit.catalog_columns() as o where o.attribute = a.attname and o.ordinary is null)
       order by 1`,
    );
    const compared = await read('select distinct jsonb_object_keys(content) from audit.catalog_rows()');
    await admin.query('rollback');
    // The function audit.catalog_rows() need not return lists of privileges and settings, because audit.state()
    // describes each entry of these lists.
    const elsewhere = ['pg_parameter_acl.parname', 'pg_parameter_acl.paracl', 'pg_default_acl.defaclacl'].concat(
      ['setdatabase', 'setrole', 'setconfig'].map((column) => `pg_db_role_setting.${column}`),
    );
    const isCompared = (column: string): boolean => compared.includes(column.replace(/^.*\./, ''));
    expect(columns.filter((column) => !isCompared(column) && !elsewhere.includes(column))).toEqual([]);
    expect(columns.length).toBeGreaterThan(150);
  });

  test('a built-in function that a minor release of Postgres added is no drift, unless it differs from the original', async () => {
    const name = 'binary_upgrade_set_next_attribute_versions';
    const present = await read(`select proname from pg_proc where proname = '${name}'`);
    const drift = `select kind || ' ' || object from audit.drift`;
    await admin.query('begin; set local allow_system_table_mods = on');
    if (present.length === 0)
      await admin.query(`
        insert into pg_proc
        select (jsonb_populate_record(f, '{"oid": 4551, "proname": "${name}", "prosrc": "${name}", "proargtypes": "3221", "proparallel": "u"}')).*
        from pg_proc as f where f.proname = 'binary_upgrade_set_next_pg_type_oid'`);
    const original = await read(drift);
    await admin.query(`update pg_proc set prosrc = 'pg_sleep' where proname = '${name}'`);
    const altered = await read(drift);
    await admin.query('rollback');
    expect([original, altered]).toEqual([[], ['built-in pg_proc']]);
  });

  test('every column that the function audit.catalog_columns names exists in the catalogs of some Postgres release', async () => {
    const unknown = await read(
      `select attribute from audit.catalog_columns() where attribute <> all (
         select a.attname from pg_attribute as a
         join pg_class as c on c.oid = a.attrelid and c.relnamespace = 'pg_catalog'::regnamespace)`,
    );
    // Columns of Postgres catalogs that Postgres 18 no longer has, or that only Postgres 16, 17 or 18 added.
    const known = ['attcacheoff', 'conenforced', 'relallfrozen', 'set_option', 'subfailover', 'suborigin'];
    known.push('subpasswordrequired', 'subrunasowner');
    expect(unknown.filter((attribute) => !known.includes(attribute))).toEqual([]);
  });

  test('the function audit.kinds_of_state lists each kind of database object and right that the audit compares exactly once', async () => {
    await admin.query('begin');
    await admin.query(ONE_OF_EACH);
    const kinds = await read('select distinct kind from audit.drift order by kind');
    const known = await read('select kind from audit.kinds_of_state()');
    await admin.query('rollback');
    expect(kinds.filter((kind) => !known.includes(kind))).toEqual([]);
    expect(kinds).toEqual(
      expect.arrayContaining([
        'cast',
        'event trigger',
        'foreign server',
        'inheritance',
        'security label',
        'subscription',
      ]),
    );
    expect(new Set(known).size).toBe(known.length);
  });
});
