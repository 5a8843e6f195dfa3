import { HOUSE, type Kinds, otherOwner, statement } from './house.ts';

const sequence = (sql: string, where = 'true'): string => `
  select s.seqrelid::regclass::text as object, 'pg_class ' || s.seqrelid as covers, ${sql} as sql
  from pg_sequence as s join pg_class as c on c.oid = s.seqrelid
  where c.relnamespace in ${HOUSE} and ${where}`;

const altered = (what: string, where?: string): string =>
  sequence(statement(`alter sequence %s ${what}`, 's.seqrelid::regclass'), where);

/**
 * A test makes each of these changes to every sequence. The command db:audit must report each change; only a sequence’s
 * current value is not compared.
 */
export const SEQUENCES: Kinds = {
  'sequence dropped': sequence(statement('drop sequence %s cascade', 's.seqrelid::regclass')),
  'sequence renamed': altered('rename to renamed_#'),
  'sequence of another owner': sequence(
    statement(
      'alter sequence %1$s owned by none; alter sequence %1$s owner to %2$s',
      's.seqrelid::regclass',
      otherOwner('c.relowner'),
    ),
  ),
  'sequence of no column': altered(
    'owned by none',
    `exists (select from pg_depend as d where d.objid = s.seqrelid and d.deptype = 'a')`,
  ),
  'sequence with other steps': altered('increment by 7'),
  'sequence with another start': altered('start with 7'),
  'sequence with another end': altered('maxvalue 100000'),
  'sequence with another beginning': altered('minvalue -5'),
  'sequence that begins again': altered('cycle', 'not s.seqcycle'),
  'sequence given out by the hundred': altered('cache 100'),
  'sequence of another type': altered('as smallint', `s.seqtypid <> 'int2'::regtype`),
  'sequence unlogged': sequence(
    statement(`update pg_catalog.pg_class set relpersistence = 'u' where oid = %s`, 's.seqrelid'),
  ),
};
