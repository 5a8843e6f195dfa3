import pg from 'pg';
import { createClientConfig } from '../../postgres-address.ts';
import { detectDrift } from './drift.ts';

export interface MatrixRow {
  readonly role: string;
  /** The object's name, such as `schema.table` or `schema.function(arguments)`. */
  readonly object: string;
  readonly command: 'SELECT' | 'INSERT' | 'UPDATE' | 'DELETE' | 'EXECUTE';
  readonly granted: boolean;
  /** The columns to which a grant of `command` is limited; null if there is no grant or it covers every column. */
  readonly columns: string | null;
  readonly policies: string | null;
  readonly using: string | null;
  readonly check: string | null;
  readonly isView: boolean;
}

export interface Finding {
  readonly level: string;
  readonly finding: string;
  readonly object: string;
  readonly detail: string;
  readonly remedy: string;
}

/** An audit finding, or a difference from the declared schema, that a DBA has accepted with audit.accept. */
export interface DriftAcceptance {
  readonly what: string;
  readonly object: string;
  readonly asItStood: string;
  readonly reason: string;
  readonly acceptedBy: string;
  readonly acceptedOn: string;
  /** False if the accepted audit finding or difference no longer exists or has changed. */
  readonly stillStands: boolean;
}

export type AuditReport = Awaited<ReturnType<typeof readAuditReport>>;

export async function readAuditReport(url: string) {
  const client = new pg.Client({
    ...createClientConfig(url),
    application_name: 'taxclaims-audit',
    connectionTimeoutMillis: 10_000,
    // Turns JIT off, because compiling the query of audit.findings takes Postgres ten times as long as running it.
    options: '-c jit=off',
  });
  await client.connect();
  try {
    await client.query('begin transaction isolation level repeatable read read only');
    return await readViews(client);
  } finally {
    await client.end();
  }
}

async function readViews(client: pg.Client) {
  // Calls detectDrift before the other queries, because detectDrift sets how Postgres formats times and bytes.
  const drift = await detectDrift(client);
  const { rows } = await client.query<{ database: string; server: string }>(
    `select current_database() as database, current_setting('server_version') as server`,
  );
  const findings = await client.query<Finding>('select level, finding, object, detail, remedy from audit.findings');
  const accepted = await client.query<DriftAcceptance>(
    `select what, object, as_it_stood as "asItStood", reason, accepted_by::text as "acceptedBy",
         (accepted_at at time zone 'UTC')::date::text as "acceptedOn", still_stands as "stillStands"
     from audit.accepted
     order by what collate "C", object collate "C", as_it_stood collate "C"`,
  );
  return {
    database: rows[0]?.database ?? '',
    server: rows[0]?.server ?? '',
    matrix: await readRightsMatrix(client),
    findings: findings.rows,
    ...drift,
    accepted: accepted.rows,
  };
}

export async function readRightsMatrix(client: pg.Client): Promise<MatrixRow[]> {
  const { rows } = await client.query<MatrixRow>(
    `select m.role::text, m.object, m.command, m.granted, m.columns, m.policies,
         m.using_expressions as using, m.check_expressions as check,
         m.command <> 'EXECUTE' and not exists (select from audit.house_tables as t where t.name = m.object) as "isView"
     from audit.matrix as m
     join audit.house_roles as h on h.name = m.role
     order by m.object collate "C", (to_jsonb(h) ->> 'place')::integer, m.role collate "C", m.command`,
  );
  return rows;
}
