/**
 * SQL for the oids of the service’s schemas and the names of its roles. The SQL does not read the lists of the schema
 * audit, because the proof would never change an object that these lists omit. Roles named taxclaims_run_… belong to
 * other test suites.
 */
export const HOUSE = `(select n.oid from pg_namespace as n where n.nspname in ('public', 'app', 'reporting', 'audit', 'audit_log'))`;
export const isHouseRole = (role: string): string =>
  String.raw`${role}.rolname like 'taxclaims\_%' and ${role}.rolname not like 'taxclaims\_run\_%' and not ${role}.rolcanlogin`;
export const IS_HOUSE_ROLE = isHouseRole('r');

/** Test changes by kind: queries of Postgres’s catalogs with the columns `object`, `covers` and `sql`. */
export type Kinds = Readonly<Record<string, string>>;

/** Turns a text into an SQL literal. */
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** An SQL expression that formats a statement, in which `values` replace `%s`, `%I` and `%L`. */
export const statement = (text: string, ...values: readonly string[]): string =>
  `format(${[literal(text), ...values].join(', ')})`;

/** An SQL expression that returns an UPDATE of a catalog’s row, for test changes that no ordinary statement makes. */
export const change = (catalog: string, assignment: string, where: string): string =>
  `${literal(`update pg_catalog.${catalog} set ${assignment} where `)} || ${where}`;

/** An SQL condition that is true on servers whose Postgres catalog has the given column. */
export const hasColumn = (catalog: string, column: string): string =>
  `exists (select from pg_attribute where attrelid = 'pg_catalog.${catalog}'::regclass and attname = '${column}')`;

/** An SQL expression that returns a role of the service that does not own the given object. */
export const otherOwner = (owner: string): string =>
  `case ${owner}::regrole::text when 'taxclaims_owner' then 'taxclaims_definer' else 'taxclaims_owner' end`;

/** SQL that creates a schema outside the service, for objects that a test change needs besides the changed one. */
export const ASIDE = 'create schema aside_#';
