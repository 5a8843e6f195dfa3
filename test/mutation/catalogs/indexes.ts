import { change, HOUSE, type Kinds, statement } from './house.ts';

const index = (sql: string, where = 'true'): string => `
  select i.indexrelid::regclass::text as object, 'pg_class ' || i.indexrelid as covers, ${sql} as sql
  from pg_index as i
  join pg_class as c on c.oid = i.indexrelid
  where c.relnamespace in ${HOUSE} and ${where}`;

const changed = (assignment: string, where?: string): string =>
  index(change('pg_index', assignment, `'indexrelid = ' || i.indexrelid`), where);

const NAME = 'i.indexrelid::regclass';

/**
 * An SQL condition that is true for an index that DROP INDEX can drop, because no constraint and no other index needs
 * it.
 */
const OWN = `not c.relispartition
  and not exists (select from pg_constraint as x where x.conindid = i.indexrelid and x.contype in ('p', 'u', 'x'))
  and not exists (select from pg_depend as d where d.refobjid = i.indexrelid)`;

/** An SQL condition that is true for a btree index. Only a btree index can be unique or serve CLUSTER. */
const BTREE = `c.relam = (select a.oid from pg_am as a where a.amname = 'btree')`;

const anew = (definition: string, where = 'true'): string =>
  index(statement('drop index %s; %s', NAME, definition), `${OWN} and ${where}`);

const DEFINITION = 'pg_get_indexdef(i.indexrelid)';
const flipped = (flag: string): string => changed(`${flag} = not ${flag}`);

const added = (columns: string): string => `
  select t.oid::regclass::text as object, 'pg_class ' || t.oid as covers,
      format('create index added_# on %s ${columns}', t.oid::regclass, a.attname) as sql
  from pg_class as t join pg_attribute as a on a.attrelid = t.oid and a.attnum = 1
  where t.relkind in ('r', 'p') and t.relnamespace in ${HOUSE}`;

/**
 * A test makes each of these changes: it changes every index of the service, and adds an index to each table. The
 * command db:audit must report each change.
 */
export const INDEXES: Kinds = {
  'index dropped': index(statement('drop index %s', NAME), OWN),
  'index renamed': index(statement('alter index %s rename to renamed_#', NAME)),
  'index with a fill factor': index(statement('alter index %s set (fillfactor = 50)', NAME), BTREE),
  'index made anew without its condition': anew(
    `regexp_replace(${DEFINITION}, ' WHERE .*$', '')`,
    'i.indpred is not null',
  ),
  'index made anew with a condition': anew(`${DEFINITION} || ' where (1 < 2)'`, 'i.indpred is null'),
  'index made anew as unique': anew(
    `replace(${DEFINITION}, 'CREATE INDEX', 'create unique index')`,
    `not i.indisunique and ${BTREE}`,
  ),
  'index made anew as not unique': anew(
    `replace(${DEFINITION}, 'CREATE UNIQUE INDEX', 'create index')`,
    'i.indisunique',
  ),
  'index unique, or no longer': flipped('indisunique'),
  'index valid, or no longer': flipped('indisvalid'),
  'index ready, or no longer': flipped('indisready'),
  'index live, or no longer': flipped('indislive'),
  'index that checks at once, or no longer': flipped('indimmediate'),
  'index of a primary key, or no longer': flipped('indisprimary'),
  'index that excludes': flipped('indisexclusion'),
  'index to cluster by': flipped('indisclustered'),
  'index as replica identity': flipped('indisreplident'),
  'index where null is a value': changed('indnullsnotdistinct = not indnullsnotdistinct', 'i.indisunique'),
  'index of other columns': changed(
    `indkey = pg_catalog.regexp_replace(indkey::text, '^\\d+', (split_part(indkey::text, ' ', 1)::integer + 1)::text)::int2vector`,
    `split_part(i.indkey::text, ' ', 1) <> '0'`,
  ),
  'index in another order': changed(
    `indoption = pg_catalog.regexp_replace(indoption::text, '^\\d+', (split_part(indoption::text, ' ', 1)::integer # 3)::text)::int2vector`,
  ),
  'index of another operator class': changed(
    `indclass = pg_catalog.regexp_replace(indclass::text, '^\\d+', (
        select o.oid::text from pg_catalog.pg_opclass as o where o.opcname = 'text_pattern_ops'
            and o.opcmethod = (select a.oid from pg_catalog.pg_am as a where a.amname = 'btree')
    ))::oidvector`,
  ),
  'index of another collation': changed(
    `indcollation = pg_catalog.regexp_replace(indcollation::text, '^\\d+', 'pg_catalog."C"'::regcollation::oid::text)::oidvector`,
  ),
  'index without its condition': changed('indpred = null', 'i.indpred is not null'),
  'index without its expressions': changed('indexprs = null', 'i.indexprs is not null'),
  'index with a statistics target': index(
    statement('alter index %s alter column %s set statistics 0', NAME, `1 + array_position(i.indkey::int2[], 0::int2)`),
    'i.indexprs is not null',
  ),
  'index of another owner': index(
    change('pg_class', "relowner = 'taxclaims_definer'::regrole", `'oid = ' || i.indexrelid`),
  ),
  'index added': added('(%I)'),
  'index of an expression added': added('((%I is null))'),
  'table clustered by an index': index(
    statement('alter table %s cluster on %I', 'i.indrelid::regclass', 'c.relname'),
    `i.indpred is null and i.indisvalid and i.indexprs is null and ${BTREE}`,
  ),
};
