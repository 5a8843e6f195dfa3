import { IS_HOUSE_ROLE, type Kinds } from './house.ts';

/** Postgres settings that change what a statement does, each with an unusual value. */
const DISARMING = `(
    values
        ('session_replication_role', 'replica'), ('row_security', 'off'), ('search_path', 'aside_#, public'),
        ('local_preload_libraries', 'made_up'), ('session_preload_libraries', 'made_up'), ('role', 'taxclaims_client'),
        ('default_transaction_read_only', 'on'), ('default_transaction_isolation', 'serializable'),
        ('check_function_bodies', 'off'), ('app.client_access', '{}'), ('app.user_id', 'made up'),
        ('standard_conforming_strings', 'off'), ('backslash_quote', 'on'), ('transform_null_equals', 'on'),
        ('quote_all_identifiers', 'on'), ('array_nulls', 'off'), ('lo_compat_privileges', 'on'),
        ('synchronous_commit', 'off'), ('zero_damaged_pages', 'on'), ('ignore_checksum_failure', 'on'),
        ('allow_system_table_mods', 'on'), ('dynamic_library_path', '/made/up'),
        ('default_tablespace', ''), ('default_table_access_method', 'heap'), ('password_encryption', 'md5')
) as s (name, value)`;

const KNOWN = `(s.name like '%.%' or exists (select from pg_settings as p where p.name = s.name))`;

/**
 * Harmless settings of a role of the service. The view audit.drift must report them too, because no migration stores
 * them.
 */
const HARMLESS = `(values ('work_mem', '5MB'), ('statement_timeout', '1h'), ('log_statement', 'none')) as s (name, value)`;

const ofRoles = (settings: string, where: string): string => `
  select format('%s of %s', s.name, r.rolname) as object, 'pg_authid ' || r.oid as covers,
      format('alter role %I ${where}set %s = %L', r.rolname, s.name, s.value) as sql
  from pg_roles as r cross join ${settings}
  where ${IS_HOUSE_ROLE} and ${KNOWN}`;

const parameters = (right: string, who: string): string => `
  select format('${right} on %s to %s', s.name, r.rolname) as object, 'pg_parameter_acl' as covers,
      format('grant ${right} on parameter %s to %s', s.name, r.rolname) as sql
  from (${who}) as r (rolname) cross join ${DISARMING} where ${KNOWN}`;

/**
 * A test makes each of these changes: it stores a setting for a role or the database, or grants a right to a setting.
 * The audit must report each change.
 */
export const SETTINGS: Kinds = {
  'setting stored for a role': ofRoles(DISARMING, ''),
  'harmless setting stored for a role': ofRoles(HARMLESS, ''),
  'setting stored for a role in this database': ofRoles(DISARMING, `in database ' || current_database() || ' `),
  'setting stored for the database': `
    select s.name::text as object, 'pg_database ' || d.oid as covers, format('alter database %I set %s = %L', d.datname, s.name, s.value) as sql
    from pg_database as d cross join ${DISARMING} where d.datname = current_database() and ${KNOWN}`,
  'setting stored for every role': `
    select s.name::text as object, 'pg_database' as covers, format('alter role all set %s = %L', s.name, s.value) as sql
    from ${DISARMING} where ${KNOWN}`,
  'setting stored for a login of the house': `
    select format('%s of a login in %s', s.name, r.rolname) as object, 'pg_authid ' || r.oid as covers,
        format('create role added_# login in role %I; alter role added_# set %s = %L', r.rolname, s.name, s.value) as sql
    from pg_roles as r cross join ${DISARMING}
    where r.rolname in ('taxclaims_api', 'taxclaims_reporting') and ${KNOWN}
        and s.name in ('session_replication_role', 'row_security', 'local_preload_libraries', 'session_preload_libraries', 'role')`,
  'stored setting removed': `
    select format('%s of %s', s.setdatabase, s.setrole) as object, 'pg_db_role_setting ' || s.setdatabase || ' ' || s.setrole as covers,
        format('delete from pg_catalog.pg_db_role_setting where (setdatabase, setrole) = (%s, %s)', s.setdatabase, s.setrole) as sql
    from pg_db_role_setting as s
    where s.setdatabase = (select d.oid from pg_database as d where d.datname = current_database())`,
  'parameter granted': parameters('set', `values ('public'), ('taxclaims_api'), ('taxclaims_reporting')`),
  'parameter granted to alter the system': parameters('alter system', `values ('taxclaims_owner')`),
};
