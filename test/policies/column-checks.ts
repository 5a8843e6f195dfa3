import { deepEqual } from 'node:assert/strict';
import type { Check } from './checks.ts';
import { COLUMNS, REPORTING_HIDDEN, REPORTING_TABLES, REQUEST_ROLES, RIGHTS, type Table, TABLES } from './rights.ts';
import type { World } from './world.ts';

type Privilege = 'SELECT' | 'INSERT' | 'UPDATE' | 'REFERENCES';
const PRIVILEGES: readonly Privilege[] = ['SELECT', 'INSERT', 'UPDATE', 'REFERENCES'];

/**
 * Tests the rights to single columns. Callers of the API, reporting logins, the API’s own login and auditors must have
 * exactly the rights that rights.ts lists.
 */
export const columnChecks: readonly Check[] = TABLES.map((table) => ({
  title: `each role has exactly the rights to the columns of ${table} that rights.ts lists`,
  run: async ({ admin }: World) => {
    const { rows } = await admin.query<{ role: string; privilege: Privilege; columns: string[] }>(
      `select
          role.name as role,
          privilege.name as privilege,
          array_agg(a.attname::text order by a.attnum) as columns
       from pg_attribute as a
       cross join unnest($2::text[]) as role (name)
       cross join unnest($3::text[]) as privilege (name)
       where a.attrelid = $1::regclass and (a.attnum > 0 or a.attname = 'xmin') and not a.attisdropped
           and has_column_privilege('taxclaims_' || role.name, a.attrelid, a.attnum, privilege.name)
       group by role.name, privilege.name`,
      [
        `public.${table}`,
        [...REQUEST_ROLES, 'reporting', 'reporting_all', 'reporting_few', 'api', 'auditor'],
        PRIVILEGES,
      ],
    );
    const granted = Object.fromEntries(rows.map((row) => [`${row.role} ${row.privilege}`, [...row.columns].sort()]));
    deepEqual(granted, expected(table, await columnsOf(admin, table)));
  },
}));

async function columnsOf(admin: World['admin'], table: Table): Promise<string[]> {
  const { rows } = await admin.query<{ name: string }>(
    `select attname::text as name from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped`,
    [`public.${table}`],
  );
  return rows.map((row) => row.name);
}

function expected(table: Table, all: readonly string[]): Record<string, string[]> {
  const { insert, update, hidden = [] } = COLUMNS[table];
  const granted: Record<string, string[]> = {};
  const readable = (without: readonly string[]): string[] => all.filter((name) => !without.includes(name)).sort();
  for (const role of REQUEST_ROLES) {
    const rights: string = RIGHTS[table][role];
    // Lists that are sorted by the order of changes need the column xmin, the number of the transaction that last wrote
    // the row.
    const written = all.includes('updated_at') ? ['xmin'] : [];
    if (/[rs]/.test(rights)) granted[`${role} SELECT`] = [...readable(hidden), ...written].sort();
    if (rights.includes('c')) granted[`${role} INSERT`] = [...insert].sort();
    if (rights.includes('u')) granted[`${role} UPDATE`] = [...update].sort();
  }
  if (REPORTING_TABLES.includes(table)) granted['reporting SELECT'] = readable(REPORTING_HIDDEN[table] ?? []);
  // An auditor needs these columns for the view audit.denials, which lists refused requests. Through the view
  // audit.changes an auditor reads no row.
  if (table === 'audit_logs') granted['auditor SELECT'] = [...readable(hidden), 'changed'].sort();
  // Reporting logins need these columns for the view reporting.changes_by_month, which counts audit records by month.
  if (table === 'audit_logs') granted['reporting SELECT'] = ['client_context', 'created_at', 'kind', 'resource_type'];
  // An auditor needs these times for the view audit.findings, which counts the changes of rights that the identity
  // provider has not received.
  if (table === 'identity_changes') granted['auditor SELECT'] = ['created_at', 'delivered_at'];
  return granted;
}
