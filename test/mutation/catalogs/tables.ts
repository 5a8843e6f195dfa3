import { ASIDE, change, HOUSE, type Kinds, label, otherOwner, statement } from './house.ts';

const NAME = 't.oid::regclass';
const FIRST_COLUMN = `(
    select a.attname from pg_attribute as a where a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped order by a.attnum limit 1
)`;

const table = (sql: string, where = 'true'): string => `
  select t.oid::regclass::text as object, 'pg_class ' || t.oid as covers, ${sql} as sql
  from pg_class as t
  where t.relkind in ('r', 'p') and t.relnamespace in ${HOUSE} and ${where}`;

const altered = (what: string, where?: string): string => table(statement(`alter table %s ${what}`, NAME), where);

/**
 * A test makes each of these changes to a table itself, not to its columns or triggers. The command db:audit must
 * report each change.
 */
export const TABLES: Kinds = {
  'table dropped': table(statement('drop table %s cascade', NAME)),
  'table renamed': altered('rename to renamed_#'),
  'table in another schema': table(statement(`${ASIDE}; alter table %s set schema aside_#`, NAME)),
  'table of another owner': table(statement('alter table %s owner to %s', NAME, otherOwner('t.relowner'))),
  'table without row-level security': altered('disable row level security', 't.relrowsecurity'),
  'table that does not hold its owner': altered('no force row level security', 't.relforcerowsecurity'),
  'table with row-level security': altered('enable row level security', 'not t.relrowsecurity'),
  'table that holds its owner': altered('force row level security', 'not t.relforcerowsecurity'),
  'table of another access method': table(
    statement(
      'create access method added_# type table handler pg_catalog.heap_tableam_handler;' +
        ' alter table %s set access method added_#',
      NAME,
    ),
  ),
  'table unlogged': table(change('pg_class', "relpersistence = 'u'", `'oid = ' || t.oid`)),
  'table with another replica identity': altered('replica identity full', `t.relreplident <> 'f'`),
  'table without replica identity': altered('replica identity nothing', `t.relreplident <> 'n'`),
  'table with options': altered('set (user_catalog_table = true)'),
  'table that is not cleaned by itself': altered('set (autovacuum_enabled = off)'),
  'table with a fill factor': altered('set (fillfactor = 50)'),
  'table whose triggers Postgres ignores': table(
    change('pg_class', 'relhastriggers = false', `'oid = ' || t.oid`),
    't.relhastriggers',
  ),
  'table whose checks Postgres ignores': table(
    change('pg_class', 'relchecks = 0', `'oid = ' || t.oid`),
    't.relchecks > 0',
  ),
  'table that inherits': table(
    statement(
      `${ASIDE}; create table aside_#.parent (like %s including constraints including generated); alter table %s inherit aside_#.parent`,
      NAME,
      NAME,
    ),
  ),
  'table that is inherited': table(statement(`${ASIDE}; create table aside_#.child () inherits (%s)`, NAME)),
  'table attached as a partition': table(
    statement(
      `${ASIDE}; create table aside_#.parent (like %s including generated) partition by list (%I);` +
        ' alter table aside_#.parent attach partition %s default',
      NAME,
      FIRST_COLUMN,
      NAME,
    ),
    // A table cannot become a partition if it has an identity column or a trigger with transition tables.
    `not exists (
        select from pg_trigger as g where g.tgrelid = t.oid and (g.tgoldtable is not null or g.tgnewtable is not null)
    ) and not exists (select from pg_attribute as a where a.attrelid = t.oid and a.attidentity <> '')
      and not t.relispartition and ${FIRST_COLUMN} is not null`,
  ),
  'table of a type': table(
    statement(
      `${ASIDE}; create type aside_#.shape as (%s); alter table %s of aside_#.shape`,
      `(
          select string_agg(format('%I %s', a.attname, format_type(a.atttypid, a.atttypmod)), ', ' order by a.attnum)
          from pg_attribute as a where a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
      )`,
      NAME,
    ),
  ),
  'table added to a publication': table(statement('create publication added_# for table %s', NAME)),
  'column added': altered('add column added_# text'),
  'column that is worked out added': altered('add column added_# integer generated always as (1) stored'),
  'check added': altered('add constraint added_# check (1 < 2)'),
  'foreign key added': table(
    statement(
      'alter table %s add column added_# uuid constraint added_# references public.clients (id) on delete cascade',
      NAME,
    ),
  ),
  'foreign key from elsewhere added': table(
    statement(
      `${ASIDE}; create table aside_#.child (like %s);` +
        ' alter table aside_#.child add constraint added_# foreign key (%s) references %s on delete cascade',
      NAME,
      `(
          select string_agg(quote_ident(a.attname), ', ' order by k.position)
          from pg_constraint as x
          cross join lateral unnest(x.conkey) with ordinality as k (attnum, position)
          join pg_attribute as a on a.attrelid = x.conrelid and a.attnum = k.attnum
          where x.conrelid = t.oid and x.contype = 'p'
      )`,
      NAME,
    ),
    `exists (select from pg_constraint as x where x.conrelid = t.oid and x.contype = 'p')`,
  ),
  'policy added': table(statement('create policy added_# on %s to taxclaims_client using (true)', NAME)),
  'restrictive policy added': table(statement('create policy added_# on %s as restrictive using (false)', NAME)),
  'statistics object added': table(
    statement(`${ASIDE}; create statistics aside_#.added on (%I is null) from %s`, FIRST_COLUMN, NAME),
    `${FIRST_COLUMN} is not null`,
  ),
  'security label added to a table': table(label('pg_class', 't.oid')),
};
