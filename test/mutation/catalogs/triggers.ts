import { change, HOUSE, type Kinds, statement } from './house.ts';

/**
 * SQL for a name of a trigger that is the same in every database. Postgres names the trigger of a foreign key by an
 * oid, so the constraint’s name is used instead.
 */
const NAME = `case when t.tgisinternal
    then format('%s for %s on %s', f.proname, (select x.conname from pg_constraint as x where x.oid = t.tgconstraint), c.oid::regclass)
    else format('%I on %s', t.tgname, c.oid::regclass) end`;

const trigger = (sql: string, where = 'true'): string => `
  select ${NAME} as object, 'pg_trigger ' || t.oid as covers, ${sql} as sql
  from pg_trigger as t
  join pg_class as c on c.oid = t.tgrelid
  join pg_proc as f on f.oid = t.tgfoid
  where c.relnamespace in ${HOUSE} and ${where}`;

const changed = (assignment: string, where?: string): string =>
  trigger(change('pg_trigger', assignment, `'oid = ' || t.oid`), where);

const table = (sql: string, where = 'true'): string => `
  select c.oid::regclass::text as object, 'pg_class ' || c.oid as covers, ${sql} as sql
  from pg_class as c where c.relnamespace in ${HOUSE} and ${where}`;

const OWN = 'not t.tgisinternal';
const RELATION = 'c.oid::regclass';
const EVERY_EVENT = 60;
/** Changes that name one event each: for each trigger the events that it has (`<>`), or those that it lacks (`=`). */
const ofEvents = (assignment: string, comparison: '<>' | '=', where?: string): string => `
  select format('%s: %s', o.object, e.name) as object, o.covers, replace(o.sql, 'EVENT', e.bit::text) as sql
  from (${changed(assignment, where)}) as o
  join pg_trigger as t on 'pg_trigger ' || t.oid = o.covers
  join (values ('insert', 4), ('delete', 8), ('update', 16), ('truncate', 32)) as e (name, bit) on t.tgtype & e.bit ${comparison} 0`;
const SUPPRESS = 'for each row execute function pg_catalog.suppress_redundant_updates_trigger()';

/**
 * A test makes each of these changes to every trigger, including those that enforce foreign keys. The command db:audit
 * must report each change.
 */
export const TRIGGERS: Kinds = {
  'trigger dropped': trigger(statement('drop trigger %I on %s', 't.tgname', RELATION), OWN),
  'trigger renamed': trigger(statement('alter trigger %I on %s rename to renamed_#', 't.tgname', RELATION), OWN),
  'trigger disabled': trigger(
    statement('alter table %s disable trigger %I', RELATION, 't.tgname'),
    `${OWN} and t.tgenabled <> 'D'`,
  ),
  'trigger for replicas alone': trigger(
    statement('alter table %s enable replica trigger %I', RELATION, 't.tgname'),
    `${OWN} and t.tgenabled <> 'R'`,
  ),
  'trigger that always fires': trigger(
    statement('alter table %s enable always trigger %I', RELATION, 't.tgname'),
    `${OWN} and t.tgenabled <> 'A'`,
  ),
  'trigger that replication walks past': trigger(
    statement('alter table %s enable trigger %I', RELATION, 't.tgname'),
    `${OWN} and t.tgenabled <> 'O'`,
  ),
  'all triggers of a table disabled': table(
    statement('alter table %s disable trigger all', RELATION),
    'c.relhastriggers',
  ),
  'trigger of a foreign key removed': trigger(
    statement('delete from pg_catalog.pg_trigger where oid = %s', 't.oid'),
    't.tgisinternal',
  ),
  'trigger of a foreign key disabled': changed(`tgenabled = 'D'`, 't.tgisinternal'),
  'trigger of a foreign key for replicas alone': changed(`tgenabled = 'R'`, 't.tgisinternal'),
  'trigger of a foreign key that always fires': changed(`tgenabled = 'A'`, 't.tgisinternal'),
  'trigger with another function': changed(`tgfoid = 'pg_catalog.suppress_redundant_updates_trigger()'::regprocedure`),
  'trigger without an event': ofEvents('tgtype = tgtype & ~EVENT', '<>'),
  'trigger for another event': ofEvents(
    'tgtype = tgtype | EVENT',
    '=',
    `t.tgtype & ${String(EVERY_EVENT)} <> ${String(EVERY_EVENT)}`,
  ),
  'trigger at the other time': changed('tgtype = tgtype # 2'),
  'trigger for statements instead of rows, or the other way': changed('tgtype = tgtype # 1'),
  'trigger for some columns alone': changed(`tgattr = '1'`, `t.tgattr::text = ''`),
  'trigger for all columns': changed(`tgattr = ''`, `t.tgattr::text <> ''`),
  'trigger without its condition': changed('tgqual = null', 't.tgqual is not null'),
  'trigger with a condition': trigger(
    `regexp_replace(replace(pg_get_triggerdef(t.oid), 'CREATE TRIGGER', 'create or replace trigger'),
        ' EXECUTE FUNCTION ', ' when (false) execute function ')`,
    `${OWN} and t.tgqual is null and t.tgconstraint = 0`,
  ),
  'trigger with arguments': changed(`tgnargs = 1, tgargs = '\\x6100'`, 't.tgnargs = 0'),
  'trigger without its arguments': changed(`tgnargs = 0, tgargs = ''`, 't.tgnargs > 0'),
  'trigger made deferrable, or no longer': changed('tgdeferrable = not tgdeferrable, tginitdeferred = false'),
  'trigger at the end of the transaction, or no longer': changed('tginitdeferred = not tginitdeferred'),
  'trigger with a table of old rows': changed(`tgoldtable = 'old_rows'`, 't.tgoldtable is null'),
  'trigger with a table of new rows': changed(`tgnewtable = 'new_rows'`, 't.tgnewtable is null'),
  'trigger without its tables of rows': changed(
    'tgoldtable = null, tgnewtable = null',
    'coalesce(t.tgoldtable, t.tgnewtable) is not null',
  ),
  'trigger of a foreign key without its key': changed('tgconstraint = 0', 't.tgisinternal'),
  'trigger of a foreign key with another table': changed(
    'tgconstrrelid = tgrelid',
    't.tgisinternal and t.tgconstrrelid <> t.tgrelid',
  ),
  'trigger that passes for a foreign key’s': changed('tgisinternal = true', OWN),
  'trigger added to a table': table(
    statement(`create trigger added_# before update on %s ${SUPPRESS}`, RELATION),
    `c.relkind in ('r', 'p')`,
  ),
  'trigger that copies rows added': table(
    statement(
      'create schema aside_#; create table aside_#.copy (row_ text);' +
        ' create function aside_#.copy() returns trigger language plpgsql' +
        ' as $$begin insert into aside_#.copy values (new::text); return new; end$$;' +
        ' create trigger added_# after insert or update on %s for each row execute function aside_#.copy()',
      RELATION,
    ),
    `c.relkind in ('r', 'p')`,
  ),
  'trigger added to a view': table(
    statement(`create trigger added_# instead of update on %s ${SUPPRESS}`, RELATION),
    `c.relkind = 'v'`,
  ),
};
