import type pg from 'pg';
import { HOUSE, IS_HOUSE_ROLE } from './house.ts';

/**
 * SQL that lists all database objects of the service: those in its schemas, those that depend on them according to
 * pg_depend, the columns of all these objects, and objects outside schemas.
 */
const OBJECTS = `
  with recursive hanging as (
    select 'pg_namespace'::regclass as catalog, n.oid from pg_namespace as n where n.oid in ${HOUSE}
    union
    select d.classid::regclass, d.objid
    from hanging as h join pg_depend as d on (d.refclassid, d.refobjid) = (h.catalog, h.oid)
  )
  select format('%s %s', h.catalog, h.oid) as covers, pg_describe_object(h.catalog, h.oid, 0) as name
  from hanging as h
  -- TOAST tables belong to Postgres, and nobody reads or changes them by name.
  where not exists (
    select from pg_class as c
    where h.catalog = 'pg_class'::regclass and c.oid = h.oid and c.relnamespace = 'pg_toast'::regnamespace
  )
  -- The type of an array changes only with the type of its element.
  and not exists (
    select from pg_type as y where h.catalog = 'pg_type'::regclass and y.oid = h.oid and y.typlen = -1 and y.typelem <> 0
  )
  union all
  select format('pg_attribute %s %s', a.attrelid, a.attnum), pg_describe_object('pg_class'::regclass, a.attrelid, a.attnum)
  from pg_attribute as a join pg_class as c on c.oid = a.attrelid
  where c.relnamespace in ${HOUSE} and c.relkind in ('r', 'p', 'v', 'm', 'f') and a.attnum > 0 and not a.attisdropped
  union all
  select format('pg_authid %s', r.oid), format('role %s', r.rolname) from pg_authid as r where ${IS_HOUSE_ROLE}
  union all
  select format('pg_auth_members %s %s', m.member, m.roleid), format('%s in %s', m.member::regrole, m.roleid::regrole)
  from pg_auth_members as m join pg_authid as r on r.oid = m.member where ${IS_HOUSE_ROLE}
  union all
  select format('pg_database %s', d.oid), 'the database' from pg_database as d where d.datname = current_database()
  union all
  select format('pg_default_acl %s', d.oid), pg_describe_object('pg_default_acl'::regclass, d.oid, 0) from pg_default_acl as d
  union all
  select format('pg_db_role_setting %s %s', s.setdatabase, s.setrole), format('settings of %s', s.setrole::regrole)
  from pg_db_role_setting as s join pg_database as d on d.oid = s.setdatabase and d.datname = current_database()
  union all
  select format('pg_extension %s', e.oid), format('extension %s', e.extname) from pg_extension as e`;

/** Returns the names of all database objects of the service, by their Postgres catalog and oid. */
export async function objectsOfTheHouse(admin: pg.Client): Promise<ReadonlyMap<string, string>> {
  const { rows } = await admin.query<{ covers: string; name: string }>(OBJECTS);
  return new Map(rows.map(({ covers, name }) => [covers, name]));
}
