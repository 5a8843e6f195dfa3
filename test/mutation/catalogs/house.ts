/**
 * SQL that finds the service’s schemas and roles by their names. It does not use the lists in the schema audit, because
 * an object that these lists omit would then never be tested. Roles named taxclaims_run_… belong to other test suites.
 */
export const HOUSE = `(select n.oid from pg_namespace as n where n.nspname in ('public', 'app', 'reporting', 'audit', 'audit_log'))`;
export const isHouseRole = (role: string): string =>
  String.raw`${role}.rolname like 'taxclaims\_%' and ${role}.rolname not like 'taxclaims\_run\_%' and not ${role}.rolcanlogin`;
export const IS_HOUSE_ROLE = isHouseRole('r');

/**
 * Kinds of changes to the database, by name. Each value is a query that returns a row for each change: the changed
 * object, what the change covers in Postgres’s catalogs, and the SQL that makes the change.
 */
export type Kinds = Readonly<Record<string, string>>;

export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/**
 * An SQL expression that builds a statement by Postgres’s function format, with `values` for the placeholders `%s`,
 * `%I` and `%L`.
 */
export const statement = (text: string, ...values: readonly string[]): string =>
  `format(${[literal(text), ...values].join(', ')})`;

/**
 * An SQL expression that returns an UPDATE of a row in a Postgres catalog, for a change that no ordinary statement can
 * make.
 */
export const change = (catalog: string, assignment: string, where: string): string =>
  `${literal(`update pg_catalog.${catalog} set ${assignment} where `)} || ${where}`;

/** An SQL condition that is true if the server’s Postgres release has the given column in its catalog. */
export const hasColumn = (catalog: string, column: string): string =>
  `exists (select from pg_attribute where attrelid = 'pg_catalog.${catalog}'::regclass and attname = '${column}')`;

/** An SQL expression that returns a role of the service that does not own the given object. */
export const otherOwner = (owner: string): string =>
  `case ${owner}::regrole::text when 'taxclaims_owner' then 'taxclaims_definer' else 'taxclaims_owner' end`;

/** SQL that creates a schema which does not belong to the service, for objects that a test needs to make its change. */
export const ASIDE = 'create schema aside_#';

/** An SQL expression that returns an INSERT of a security label, for an object of one database or of all databases. */
export const label = (catalog: string, oid: string): string =>
  statement(`insert into pg_catalog.pg_seclabel values (%s, 'pg_catalog.${catalog}'::regclass, 0, 'made', 'up')`, oid);
export const sharedLabel = (catalog: string, oid: string): string =>
  statement(`insert into pg_catalog.pg_shseclabel values (%s, 'pg_catalog.${catalog}'::regclass, 'made', 'up')`, oid);
