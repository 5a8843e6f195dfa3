import type { Client } from 'pg';
import { CHECKS, STORED, TABLES, VIEWS } from './checks.ts';
import type { Entry } from './journal.ts';
import { rightsOf } from './load/rights.ts';
import { FIRST_ROLE } from './parts.ts';
import type { Parts } from './parts.ts';
import type { Content } from './stored-contents.ts';

export interface Violation {
  readonly check: string;
  readonly detail: string;
}

/**
 * What the database had before a load test: the ids of the rows in the tables that the load test writes, and the number
 * of rows in each other table.
 */
export interface Fixture {
  readonly ids: readonly { readonly id: string }[];
  readonly counts: readonly Count[];
}

interface Count {
  readonly name: string;
  readonly number: string;
}

interface Ledger {
  readonly fixture: Fixture;
  readonly entries: readonly Entry[];
  readonly contents: readonly Content[];
  /**
   * The kinds of requests that must get an answer during a failure that the test causes, for example the health check.
   */
  readonly spared: readonly string[];
  /**
   * The rights that the test’s identity provider received and the mails that its mail server received. The field is
   * absent in a test without these two servers.
   */
  readonly parts?: Pick<Parts, 'rights' | 'told' | 'received'>;
  /** When each failure that the test caused began and ended, in milliseconds since 1970. */
  readonly troubles?: readonly { readonly from: number; readonly to: number }[];
}

export async function fixtureOf(admin: Client): Promise<Fixture> {
  const { rows: ids } = await admin.query<{ id: string }>(STORED);
  const { rows: counts } = await admin.query<Count>(await countsSql(admin));
  return { ids, counts };
}

/**
 * Stores all requests of a load test in temporary tables. `check` can then query these tables in the same database
 * session, also several times.
 */
export async function fill(admin: Client, ledger: Ledger): Promise<void> {
  await admin.query(TABLES);
  await insert(admin, 'attempts', COLUMNS, ledger.entries);
  await insert(admin, 'contents', ['path', 'size', 'digest'], ledger.contents);
  await insert(admin, 'fixture', ['id'], ledger.fixture.ids);
  await insert(admin, 'counts', ['name', 'number'], ledger.fixture.counts);
  const spared = ledger.spared.map((operation) => ({ operation }));
  await insert(admin, 'spared', ['operation'], spared);
  const { parts, troubles = [] } = ledger;
  const members = (parts?.rights.members ?? []).map(({ id, subject, first }) => ({
    ...{ id, subject, rights: rightsOf(FIRST_ROLE, first, true) },
  }));
  await insert(admin, 'members', ['id', 'subject', 'rights'], members);
  await insert(admin, 'told', ['n', 'subject', 'rights', 'at'], parts?.told ?? []);
  await insert(admin, 'mails', ['recipient', 'mail'], parts?.received() ?? []);
  await insert(admin, 'troubles', ['from', 'to'], troubles);
  await admin.query(VIEWS);
}

const COLUMNS: readonly (keyof Entry)[] = [
  ...(['serial', 'attempt', 'operation', 'kind', 'table', 'record', 'marker', 'keyed', 'status'] as const),
  ...(['lost', 'requestId', 'expected', 'retryAfter', 'answer', 'foreign', 'defect', 'at', 'ms'] as const),
];

const PIECE = 2_000;

async function insert(
  admin: Client,
  table: string,
  columns: readonly string[],
  rows: readonly object[],
): Promise<void> {
  const names = columns.map((name) => `"${name}"`).join();
  for (let from = 0; from < rows.length; from += PIECE) {
    await admin.query(
      `insert into pg_temp.${table} (${names})
       select ${names} from jsonb_populate_recordset(null::pg_temp.${table}, $1)`,
      [JSON.stringify(rows.slice(from, from + PIECE))],
    );
  }
}

export const UNTOUCHED = 'a table that no request writes is unchanged';

/** Compares the database with the requests that a load test sent, and returns the violations. */
export async function check(admin: Client): Promise<Violation[]> {
  const untouched = `
    select format('%s: %s rows before, %s after', name, c.number, n.number)
    from counts as c
    full join (${await countsSql(admin)}) as n using (name)
    where n.number is distinct from c.number`;
  const all = Object.entries({ ...CHECKS, [UNTOUCHED]: untouched }).map(
    ([name, sql]) => `select '${name}' as "check", detail from (${sql}) as v (detail)`,
  );
  return (await admin.query<Violation>(all.join('\nunion all\n'))).rows;
}

/** The database tables that the requests of a load test change, and those that the service changes for its own work. */
const WRITTEN = [
  ...['public.sites', 'public.reclamations', 'public.documents', 'public.clients', 'public.partners'],
  ...[
    'public.client_partners',
    'public.reclamation_history',
    'public.factures',
    'public.invoice_counters',
    'public.audit_logs',
  ],
  ...[
    'app.claim_words',
    'app.client_documents',
    'app.content_removals',
    'app.created_clients',
    'app.document_links',
    'app.idempotency_keys',
  ],
  ...['app.refusals_at_month_end', 'app.audit_days'],
  'app.provider_clock',
  ...['public.users', 'public.identity_changes', 'app.reminders', 'app.identity_management'],
];

/**
 * Returns SQL that counts the rows of the tables that a load test must not change. The SQL reads the tables’ names from
 * the Postgres catalog.
 */
async function countsSql(admin: Client): Promise<string> {
  const { rows } = await admin.query<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name
     from pg_class as c
     join pg_namespace as n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p')
         and n.nspname not in ('pg_catalog', 'information_schema', 'audit_log')
         and n.nspname not like 'pg\\_t%'
         and format('%s.%s', n.nspname, c.relname) <> all ($1)
     order by 1`,
    [WRITTEN],
  );
  return rows.map(({ name }) => `select '${name}' as name, count(*) as number from ${name}`).join('\nunion all\n');
}
