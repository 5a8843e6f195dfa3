import { ASIDE, change, HOUSE, type Kinds, statement } from './house.ts';

const type = (sql: string, where = 'true'): string => `
  select y.oid::regtype::text as object, 'pg_type ' || y.oid as covers, ${sql} as sql
  from pg_type as y
  where y.typnamespace in ${HOUSE} and ${where}`;

const changed = (assignment: string, where?: string): string =>
  type(change('pg_type', assignment, `'oid = ' || y.oid`), where);

/**
 * An SQL condition for types that CREATE TYPE or CREATE DOMAIN made. The type of a table’s row or of an array changes
 * only with the table or the element.
 */
const OWN = `y.typtype <> 'c' and not (y.typlen = -1 and y.typelem <> 0)
    or exists (select from pg_class as c where c.oid = y.typrelid and c.relkind = 'c')`;
const ownType = (assignment: string): string => changed(assignment, `(${OWN})`);
const DOMAIN = `y.typtype = 'd'`;
const ENUM = `y.typtype = 'e'`;

/**
 * A test makes each of these changes to the service’s domains, enumerations and row types. The command db:audit must
 * report each change.
 */
export const TYPES: Kinds = {
  'type renamed': type(statement('alter type %s rename to renamed_#', 'y.oid::regtype'), `(${OWN})`),
  'type of another owner': ownType(`typowner = 'taxclaims_client'::regrole`),
  'type granted': type(
    statement('grant usage on type %s to taxclaims_client with grant option', 'y.oid::regtype'),
    'not (y.typlen = -1 and y.typelem <> 0)',
  ),
  'type closed': type(
    statement('revoke usage on type %s from public', 'y.oid::regtype'),
    'y.typacl is null and not (y.typlen = -1 and y.typelem <> 0)',
  ),
  'type dropped': type(statement('drop type %s cascade', 'y.oid::regtype'), `(${OWN})`),
  'type in another schema': type(statement(`${ASIDE}; alter type %s set schema aside_#`, 'y.oid::regtype'), `(${OWN})`),
  'type that is not finished': ownType('typisdefined = false'),
  'type stored otherwise': ownType(`typstorage = case typstorage when 'x' then 'm' else 'x' end::"char"`),
  'type read by another function': ownType(`typinput = 'pg_catalog.textin(pg_catalog.cstring)'::regprocedure`),
  'type written by another function': ownType(`typoutput = 'pg_catalog.textout(pg_catalog.text)'::regprocedure`),
  'type received by another function': ownType(`typreceive = 'pg_catalog.textrecv(pg_catalog.internal)'::regprocedure`),
  'type sent by another function': ownType(`typsend = 'pg_catalog.textsend(pg_catalog.text)'::regprocedure`),
  'type of another category': ownType(`typcategory = 'X'`),
  'type that is preferred': ownType('typispreferred = not typispreferred'),
  'type of another delimiter': ownType(`typdelim = ';'`),
  'domain with another default': type(
    statement('alter domain %s set default null', 'y.oid::regtype'),
    `${DOMAIN} and y.typdefault is not null`,
  ),
  'domain with a default': type(
    statement(
      'alter domain %1$s set default (case when pg_catalog.random() < 2 then null::%1$s end)',
      'y.oid::regtype',
    ),
    `${DOMAIN} and y.typdefault is null`,
  ),
  'domain with or without null': changed('typnotnull = not typnotnull', DOMAIN),
  'domain with a check': type(
    statement('alter domain %s add constraint added_# check (1 < 2)', 'y.oid::regtype'),
    DOMAIN,
  ),
  'enumeration with a value more': type(statement(`alter type %s add value 'added'`, 'y.oid::regtype'), ENUM),
  'enumeration with values renamed': `
    select format('%s of %s', e.enumlabel, e.enumtypid::regtype) as object, 'pg_type ' || e.enumtypid as covers,
        format('alter type %s rename value %L to ''renamed_#''', e.enumtypid::regtype, e.enumlabel) as sql
    from pg_enum as e join pg_type as y on y.oid = e.enumtypid where y.typnamespace in ${HOUSE}`,
};
