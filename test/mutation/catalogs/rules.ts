import { change, HOUSE, type Kinds, statement } from './house.ts';

const relation = (sql: string, where = 'true'): string => `
  select format('%s: %s', c.oid::regclass, e.event) as object, 'pg_class ' || c.oid as covers, ${sql} as sql
  from pg_class as c
  cross join (values ('insert'), ('update'), ('delete')) as e (event)
  where c.relkind in ('r', 'p', 'v') and c.relnamespace in ${HOUSE} and ${where}`;

const added = (how: string, where?: string): string =>
  relation(statement(`create rule added_# as on %s to %s ${how}`, 'e.event', 'c.oid::regclass'), where);

const rule = (sql: string, where = 'true'): string => `
  select format('%I of %s', w.rulename, c.oid::regclass) as object, 'pg_rewrite ' || w.oid as covers, ${sql} as sql
  from pg_rewrite as w join pg_class as c on c.oid = w.ev_class
  where c.relnamespace in ${HOUSE} and ${where}`;

const changed = (assignment: string, where?: string): string =>
  rule(change('pg_rewrite', assignment, `'oid = ' || w.oid`), where);

/**
 * A test makes each of these changes: it adds a rewrite rule to a table or view, or changes one. The command db:audit
 * must report each change.
 */
export const RULES: Kinds = {
  'rule added that does nothing instead': added('do instead nothing'),
  'rule added that notifies instead': added('do instead notify added_#', `e.event = 'insert'`),
  'rule added that notifies as well': added('do also notify added_#', `e.event = 'update'`),
  'rule disabled': changed(`ev_enabled = 'D'`),
  'rule for replicas alone': changed(`ev_enabled = 'R'`),
  'rule that always holds': changed(`ev_enabled = 'A'`),
  'rule that is no longer instead': changed('is_instead = false', 'w.is_instead'),
  'rule for another event': changed(`ev_type = case ev_type when '2' then '3' else '2' end::"char"`),
  'rule renamed': changed(`rulename = 'renamed_#'`),
};
