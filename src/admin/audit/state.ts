import { readFile } from 'node:fs/promises';
import type pg from 'pg';
import { sqlFolder } from '../../db/sql-folder.ts';
import type { DatabaseFact } from './declared.ts';

const FACT_SQL_FILES = [
  'catalogs',
  'extensions',
  'house_menders',
  'rows',
  'rows_built_in',
  'rows_named',
  'state',
] as const;

/** Settings of the functions in schema audit; these settings decide how names, times and bytes are formatted. */
export const AUDIT_SESSION_SETTINGS_SQL = `
  set local search_path = ''; set local standard_conforming_strings = on; set local quote_all_identifiers = off;
  set local extra_float_digits = 1; set local bytea_output = hex; set local datestyle = 'ISO, MDY';
  set local intervalstyle = postgres; set local timezone = 'UTC'; set local jit = off;
  set local row_security = on`;

/**
 * Runs the text of audit.state() from the repository, because the function in the database may have been changed. Sets
 * Postgres settings until the transaction ends.
 */
export async function readStateWithRepositorySql(client: pg.Client) {
  await client.query(AUDIT_SESSION_SETTINGS_SQL);
  const { rows: facts } = await client.query<DatabaseFact>(
    `select s.kind, s.object, s.definition from (${await readFunctionBody('state')}) as s (kind, object, definition)`,
  );
  const { rows: kinds } = await client.query<{ kind: string; surrounds: boolean; may_be_added: boolean }>(
    `select k.kind, k.is_surrounding as surrounds, k.may_be_added from (${await readFunctionBody('kinds_of_state')}) as k`,
  );
  const { rows: leftOpen } = await client.query<{ object: string }>(
    `select o.object from (${await readFunctionBody('rights_left_open')}) as o (object)`,
  );
  return {
    facts,
    /** Rights of Postgres that only a superuser can revoke; the audit reports them in one finding and as no drift. */
    leftOpen: leftOpen.map(({ object }) => object),
    surroundings: kinds.filter(({ surrounds }) => surrounds).map(({ kind }) => kind),
    /** Kinds of objects that a DBA may add; the audit reports no difference for them. */
    mayBeAdded: kinds.filter(({ may_be_added: free }) => free).map(({ kind }) => kind),
  };
}

export async function readServerRelease(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ release: number }>(
    `select current_setting('server_version_num')::integer / 10000 as release`,
  );
  return rows[0]?.release ?? 0;
}

/** Reads the roles from db/house-roles.sql, because somebody may have changed audit.house_roles in the database. */
async function serviceRolesQuery(): Promise<string> {
  const [, list] = /\nfrom (.*);/s.exec(await readFile(sqlFolder('house-roles.sql'), 'utf8')) ?? [];
  if (list === undefined) throw new Error('db/house-roles.sql has no list of roles');
  return `(select r.oid, h.purpose from pg_catalog.pg_roles as r join ${list} on h.name = r.rolname)`;
}

/**
 * Returns the body of a function in schema audit, and inlines its calls of other functions in schema audit. Each inlined
 * call gets an alias, because Postgres 15 takes no subquery without one.
 */
async function readFunctionBody(wanted: string): Promise<string> {
  const texts = await Promise.all(FACT_SQL_FILES.map((file) => readFile(sqlFolder(`audit/facts/${file}.sql`), 'utf8')));
  const rolesQuery = await serviceRolesQuery();
  const bodies = new Map(
    texts.flatMap((text) =>
      [...text.matchAll(/create function audit\.(\w+)\(\).*?\$body\$(.*?)\$body\$/gs)].map(
        ([, name = '', body = '']) => [name, body.replaceAll(/^ *--.*$/gm, '')] as const,
      ),
    ),
  );
  const inline = (name: string): string => {
    const body = bodies.get(name);
    if (body === undefined) throw new Error(`db/audit/facts has no body of audit.${name}()`);
    return body
      .replaceAll('audit.house_roles', () => rolesQuery)
      .replaceAll(/audit\.(\w+)\(\)(?!\s+as\b)/g, (call, called: string) => `${call} as ${called}`)
      .replaceAll(/audit\.(\w+)\(\)/g, (_call, called: string) => `(${inline(called)})`);
  };
  return inline(wanted);
}
