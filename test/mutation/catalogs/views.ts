import { ASIDE, HOUSE, type Kinds, otherOwner, statement } from './house.ts';

const view = (sql: string, where = 'true'): string => `
  select v.oid::regclass::text as object, 'pg_class ' || v.oid as covers, ${sql} as sql
  from pg_class as v
  cross join lateral (select rtrim(pg_get_viewdef(v.oid), ';') as body) as d
  where v.relkind = 'v' and v.relnamespace in ${HOUSE} and ${where}`;

const NAME = 'v.oid::regclass';
const OPTIONS = `coalesce(' with (' || array_to_string(v.reloptions, ', ') || ')', '')`;
const replaced = (how: string): string =>
  view(statement(`create or replace view %s%s as ${how}`, NAME, OPTIONS, 'd.body'));

/** For each column of a view, SQL for the view’s query in which this column is null. */
const EMPTIED = `
  select format('%s of %s', a.attname, v.oid::regclass) as object,
      'pg_attribute ' || a.attrelid || ' ' || a.attnum as covers,
      format(
          'create or replace view %s%s as select %s from (%s) as q', v.oid::regclass, ${OPTIONS},
          (
              select string_agg(
                  case b.attnum when a.attnum then format(
                      'null::%s%s as %I', format_type(b.atttypid, b.atttypmod),
                      (select format(' collate %s', b.attcollation::regcollation) where b.attcollation <> 0), b.attname
                  ) else format('q.%I', b.attname) end, ', ' order by b.attnum
              )
              from pg_attribute as b where b.attrelid = v.oid and b.attnum > 0
          ),
          rtrim(pg_get_viewdef(v.oid), ';')
      ) as sql
  from pg_class as v
  join pg_attribute as a on a.attrelid = v.oid and a.attnum > 0
  where v.relkind = 'v' and v.relnamespace in ${HOUSE}`;

const optionSet = (option: string, value: string): string =>
  view(
    statement(
      'update pg_catalog.pg_class set reloptions = %L::text[] where oid = %s',
      `array(select o from unnest(v.reloptions) as o where o not like '${option}=%') || '${option}=${value}'::text`,
      'v.oid',
    ),
    `not coalesce('${option}=${value}' = any (v.reloptions), false)`,
  );

/** A test makes each of these changes to every view of the service. The command db:audit must report each change. */
export const VIEWS: Kinds = {
  'view dropped': view(statement('drop view %s cascade', NAME)),
  'view renamed': view(statement('alter view %s rename to renamed_#', NAME)),
  'view in another schema': view(statement(`${ASIDE}; alter view %s set schema aside_#`, NAME)),
  'view of another owner': view(statement('alter view %s owner to %s', NAME, otherOwner('v.relowner'))),
  'view without rows': replaced('select * from (%s) as q limit 0'),
  'view with one row alone': replaced('select * from (%s) as q limit 1'),
  'view with rows twice': replaced('select q.* from (%s) as q cross join pg_catalog.generate_series(1, 2)'),
  'view with an empty column': EMPTIED,
  'view with a column more': replaced(`select q.*, 'more' as column_more from (%s) as q`),
  'view that is a table': view(
    statement(
      'create temporary table kept as select * from %1$s; drop view %1$s cascade; create table %1$s as table kept',
      NAME,
    ),
  ),
  'view that is stored': view(
    statement('drop view %1$s cascade; create materialized view %1$s as %2$s with no data', NAME, 'd.body'),
    // Views that another view reads are left out here, because `drop … cascade` would drop the other view too.
    `not exists (
        select from pg_depend as p join pg_rewrite as w on w.oid = p.objid
        where p.refobjid = v.oid and p.classid = 'pg_rewrite'::regclass and w.ev_class <> v.oid
    )`,
  ),
  'view without an option': `
    select format('%s of %s', o.option_name, v.oid::regclass) as object, 'pg_class ' || v.oid as covers,
        format('alter view %s reset (%s)', v.oid::regclass, o.option_name) as sql
    from pg_class as v cross join lateral pg_options_to_table(v.reloptions) as o
    where v.relkind = 'v' and v.relnamespace in ${HOUSE}`,
  'view that reads as its owner': optionSet('security_invoker', 'false'),
  'view that is a barrier': optionSet('security_barrier', 'true'),
  'view that checks what is written': optionSet('check_option', 'cascaded'),
};
