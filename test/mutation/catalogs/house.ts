/**
 * The service’s schemas as oids, and its roles by name. The list is written here and not read from the audit, because an
 * object that the audit forgot would then stay unchanged. Roles named taxclaims_run_… belong to other suites.
 */
export const HOUSE = `(select n.oid from pg_namespace as n where n.nspname in ('public', 'app', 'reporting', 'audit', 'audit_log'))`;
export const isHouseRole = (role: string): string =>
  String.raw`${role}.rolname like 'taxclaims\_%' and ${role}.rolname not like 'taxclaims\_run\_%' and not ${role}.rolcanlogin`;
export const IS_HOUSE_ROLE = isHouseRole('r');

/** Kinds of change; each is a query of Postgres’s catalogs with the columns `object`, `covers` and `sql`. */
export type Kinds = Readonly<Record<string, string>>;

/** A text as an SQL literal. */
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** An SQL expression that returns a statement; its values replace `%s`, `%I` and `%L`. */
export const statement = (text: string, ...values: readonly string[]): string =>
  `format(${[literal(text), ...values].join(', ')})`;

/** An SQL expression that returns an update of a catalog’s row, for changes that no other statement makes. */
export const change = (catalog: string, assignment: string, where: string): string =>
  `${literal(`update pg_catalog.${catalog} set ${assignment} where `)} || ${where}`;

/** A condition that holds on servers whose catalog has the column. */
export const hasColumn = (catalog: string, column: string): string =>
  `exists (select from pg_attribute where attrelid = 'pg_catalog.${catalog}'::regclass and attname = '${column}')`;

/** Another role of the service that could own the object. */
export const otherOwner = (owner: string): string =>
  `case ${owner}::regrole::text when 'taxclaims_owner' then 'taxclaims_definer' else 'taxclaims_owner' end`;

/** Creates the schema for the further objects of a change. */
export const ASIDE = 'create schema aside_#';
