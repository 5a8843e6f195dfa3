import { change, hasColumn, HOUSE, type Kinds, statement } from './house.ts';

const constraint = (sql: string, where: string): string => `
  select format('%I of %s', x.conname, case when x.conrelid <> 0 then x.conrelid::regclass::text else x.contypid::regtype::text end)
      as object, 'pg_constraint ' || x.oid as covers, ${sql} as sql
  from pg_constraint as x
  where x.connamespace in ${HOUSE} and ${where}`;

const changed = (assignment: string, where: string): string =>
  constraint(change('pg_constraint', assignment, `'oid = ' || x.oid`), where);

const OF_TABLE = 'x.conrelid <> 0';
const NAMES = ['x.conrelid::regclass', 'x.conname'] as const;
const FOREIGN = `x.contype = 'f'`;
const KEY = `x.contype in ('p', 'u')`;

/**
 * SQL that drops a constraint and adds it again with another definition. With `cascade`, the foreign keys that depend
 * on the constraint are dropped too.
 */
const anew = (definition: string, where: string): string =>
  constraint(
    statement(
      'alter table %1$s drop constraint %2$I cascade; alter table %1$s add constraint %2$I %3$s',
      ...NAMES,
      definition,
    ),
    where,
  );

const DEFINITION = 'pg_get_constraintdef(x.oid)';

/** An SQL condition that is true for the NOT NULL constraint of a primary key’s column, which Postgres never drops. */
const IN_PRIMARY_KEY = `exists (
    select from pg_constraint as p where p.conrelid = x.conrelid and p.contype = 'p' and x.conkey <@ p.conkey
)`;

/**
 * A test makes each of these changes to every check, key and foreign key of tables and domains. The command db:audit
 * must report each change.
 */
export const CONSTRAINTS: Kinds = {
  'constraint dropped': constraint(
    statement('alter table %s drop constraint %I cascade', ...NAMES),
    `${OF_TABLE} and x.coninhcount = 0 and x.contype <> 't' and not (x.contype = 'n' and ${IN_PRIMARY_KEY})`,
  ),
  'constraint of a domain dropped': constraint(
    statement('alter domain %s drop constraint %I', 'x.contypid::regtype', 'x.conname'),
    'x.contypid <> 0',
  ),
  'constraint trigger dropped': constraint(statement('drop trigger %2$I on %1$s', ...NAMES), `x.contype = 't'`),
  'constraint renamed': constraint(
    statement('alter table %s rename constraint %I to renamed_#', ...NAMES),
    `${OF_TABLE} and x.contype not in ('t', 'n')`,
  ),
  'constraint not validated': changed('convalidated = false', `x.contype in ('c', 'f', 'n')`),
  'constraint made anew and not validated': anew(`${DEFINITION} || ' not valid'`, `x.contype in ('c', 'f')`),
  'constraint not enforced': changed(
    'conenforced = false, convalidated = false',
    `x.contype in ('c', 'f') and ${hasColumn('pg_constraint', 'conenforced')}`,
  ),
  'constraint that is not inherited': changed('connoinherit = true', `x.contype in ('c', 'n')`),
  'constraint that counts as inherited': changed('conislocal = false, coninhcount = 1', `x.contype = 'c'`),
  'check that lets everything pass': anew(`'check (true)'`, `${OF_TABLE} and x.contype = 'c'`),
  'check that lets nothing pass': constraint(
    statement(
      'alter table %1$s drop constraint %2$I cascade; alter table %1$s add constraint %2$I check (false) not valid;' +
        ' update pg_catalog.pg_constraint set convalidated = true where (conrelid, conname) = (%1$L::regclass, %2$L)',
      ...NAMES,
    ),
    `${OF_TABLE} and x.contype = 'c'`,
  ),
  'key made deferrable': anew(`${DEFINITION} || ' deferrable initially deferred'`, `${KEY} and ${OF_TABLE}`),
  'key checked only at the end': changed('condeferrable = true, condeferred = true', `${KEY} and not x.condeferred`),
  'key of fewer columns': changed('conkey = conkey[1:1]', `${KEY} and cardinality(x.conkey) > 1`),
  'key of columns in another order': changed(
    'conkey = array(select k from unnest(conkey) with ordinality as u (k, n) order by n desc)',
    `${KEY} and cardinality(x.conkey) > 1`,
  ),
  'key over a period': changed('conperiod = true', `${KEY} and ${hasColumn('pg_constraint', 'conperiod')}`),
  'foreign key without its actions': anew(
    `regexp_replace(${DEFINITION}, ' ON (DELETE|UPDATE) (CASCADE|RESTRICT|SET NULL|SET DEFAULT)( \\([^)]*\\))?', '', 'g')`,
    `${FOREIGN} and (x.confdeltype <> 'a' or x.confupdtype <> 'a')`,
  ),
  'foreign key that deletes along': anew(
    `regexp_replace(
        regexp_replace(${DEFINITION}, ' ON DELETE (CASCADE|RESTRICT|SET NULL|SET DEFAULT)( \\([^)]*\\))?', ''),
        '(REFERENCES [^(]*\\([^)]*\\))', '\\1 on delete cascade'
    )`,
    `${FOREIGN} and x.confdeltype <> 'c'`,
  ),
  ...Object.fromEntries(
    Object.entries({ a: 'nothing', r: 'a refusal', c: 'a cascade', n: 'null', d: 'the default' }).flatMap(
      ([letter, what]) =>
        (['confdeltype', 'confupdtype'] as const).map((name) => [
          `foreign key with ${what} on ${name === 'confdeltype' ? 'delete' : 'update'}`,
          changed(`${name} = '${letter}'`, `${FOREIGN} and x.${name} <> '${letter}'`),
        ]),
    ),
  ),
  'foreign key that sets one column only': changed(
    'confdelsetcols = conkey[1:1]',
    `${FOREIGN} and x.confdelsetcols is distinct from x.conkey[1:1]`,
  ),
  'foreign key matched otherwise': changed(
    `confmatchtype = case confmatchtype when 'f' then 's' else 'f' end::"char"`,
    FOREIGN,
  ),
  'foreign key made deferrable': constraint(
    statement('alter table %s alter constraint %I deferrable initially immediate', ...NAMES),
    `${FOREIGN} and not x.condeferrable`,
  ),
  'foreign key checked only at the end': changed(
    'condeferrable = true, condeferred = true',
    `${FOREIGN} and not x.condeferred`,
  ),
  'foreign key of fewer columns': changed(
    'conkey = conkey[1:1], confkey = confkey[1:1]',
    `${FOREIGN} and cardinality(x.conkey) > 1`,
  ),
  'foreign key of other columns': changed('conkey[1] = conkey[1] + 1', FOREIGN),
  'foreign key to other columns': changed('confkey[1] = confkey[1] + 1', FOREIGN),
  'foreign key to another table': changed(`confrelid = 'audit.applied'::regclass`, FOREIGN),
  ...Object.fromEntries(
    ['conpfeqop', 'conppeqop', 'conffeqop'].map((name) => [
      `foreign key with another ${name}`,
      changed(`${name}[1] = 'pg_catalog.<>(pg_catalog.uuid, pg_catalog.uuid)'::regoperator`, FOREIGN),
    ]),
  ),
};
