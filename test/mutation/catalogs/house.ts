/**
 * The schemas of the house as oids, and its roles by name. Written out, and not asked of the audit: what the audit
 * forgot would have no mutant. A role that another suite of the run makes beside the house, and drops again, is none.
 */
export const HOUSE = `(select n.oid from pg_namespace as n where n.nspname in ('public', 'app', 'reporting', 'audit', 'audit_log'))`;
export const isHouseRole = (role: string): string =>
  String.raw`${role}.rolname like 'taxclaims\_%' and ${role}.rolname not like 'taxclaims\_run\_%' and not ${role}.rolcanlogin`;
export const IS_HOUSE_ROLE = isHouseRole('r');

/** Kinds of mutants, each a query of the catalog with the columns `object`, `covers` and `sql`. */
export type Kinds = Readonly<Record<string, string>>;

/** A text as a literal of SQL. */
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** An expression that writes a statement: `%s`, `%I` and `%L` stand for what the arguments give. */
export const statement = (text: string, ...values: readonly string[]): string =>
  `format(${[literal(text), ...values].join(', ')})`;

/** An expression that writes a change of a catalog's row itself, for what no other statement would do. */
export const change = (catalog: string, assignment: string, where: string): string =>
  `${literal(`update pg_catalog.${catalog} set ${assignment} where `)} || ${where}`;

/** A condition that holds on servers whose catalog has the column. */
export const hasColumn = (catalog: string, column: string): string =>
  `exists (select from pg_attribute where attrelid = 'pg_catalog.${catalog}'::regclass and attname = '${column}')`;

/** Who else could own what the house owns. */
export const otherOwner = (owner: string): string =>
  `case ${owner}::regrole::text when 'taxclaims_owner' then 'taxclaims_definer' else 'taxclaims_owner' end`;

/** Where a mutant makes what it needs beside the house. */
export const ASIDE = 'create schema aside_#';
