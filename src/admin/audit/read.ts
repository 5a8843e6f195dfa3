import type pg from 'pg';
import { AUDIT_LOCK_TIMEOUT_MS } from '../../limits.ts';
import { openAdminConnection } from '../deploy/admin-connection.ts';
import { isContention } from '../deploy/locks.ts';
import { detectDrift } from './drift.ts';
import { AUDIT_SESSION_SETTINGS_SQL } from './state.ts';

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
  /** Who can mend it: an administrator of this database (`dba`), or only the provider of the server (`provider`). */
  readonly who: string;
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
  await using connection = await openAdminConnection(url, 'taxclaims-audit');
  const { client } = connection;
  const { rowCount } = await client.query(`select where to_regclass('audit.findings') is not null`);
  if (rowCount === 0)
    throw new Error(
      'the database at DATABASE_ADMIN_URL has no audit: npm run db:migrate was not run there, or its schema audit is gone',
    );
  await client.query('begin transaction isolation level repeatable read read only');
  return await readViews(client);
}

async function readViews(client: pg.Client) {
  await client.query(`set local lock_timeout = ${AUDIT_LOCK_TIMEOUT_MS}; ${AUDIT_SESSION_SETTINGS_SQL}`);
  const unasked: Finding[] = [];
  /** Reads one part of the report. Where a lock is in the way, the report names the part as a finding instead. */
  const readPart = async <T>(part: string, read: () => Promise<T>): Promise<T | undefined> => {
    await client.query('savepoint part');
    try {
      return await read();
    } catch (error) {
      if (!isContention(error)) throw error;
      await client.query('rollback to savepoint part');
      unasked.push(await describeUnasked(client, part));
      return undefined;
    }
  };
  const drift = await readPart('audit.drift', () => detectDrift(client));
  const { rows } = await client.query<{ database: string; server: string }>(
    `select current_database() as database, current_setting('server_version') as server`,
  );
  const findings = await readPart('audit.findings', async () => {
    const { rows: found } = await client.query<Finding>(
      // The audit of an earlier release has no column `who`.
      `select f.level, f.finding, f.object, f.detail, f.remedy, coalesce(to_jsonb(f) ->> 'who', 'dba') as who
       from audit.findings as f`,
    );
    return found;
  });
  const accepted = await readPart('audit.accepted', async () => {
    const { rows: acceptances } = await client.query<DriftAcceptance>(
      `select what, object, as_it_stood as "asItStood", reason, accepted_by::text as "acceptedBy",
           (accepted_at at time zone 'UTC')::date::text as "acceptedOn", still_stands as "stillStands"
       from audit.accepted
       order by what collate "C", object collate "C", as_it_stood collate "C"`,
    );
    return acceptances;
  });
  const matrix = await readPart('audit.matrix', () => readRightsMatrix(client));
  return {
    database: rows[0]?.database ?? '',
    server: rows[0]?.server ?? '',
    matrix: matrix ?? [],
    findings: [...(findings ?? []).filter(({ who }) => who === 'dba'), ...unasked],
    /** Findings that no administrator of this database can mend. */
    ofProvider: (findings ?? []).filter(({ who }) => who !== 'dba'),
    /** False if a lock kept the command from comparing the database with the repository. */
    isDriftRead: drift !== undefined,
    ...(drift ?? { drift: [], auditDifferences: [] }),
    accepted: accepted ?? [],
  };
}

async function describeUnasked(client: pg.Client, part: string): Promise<Finding> {
  const { rows } = await client.query<{ holders: string }>('select audit.lock_holders() as holders');
  return {
    ...{ level: 'error', finding: 'not_asked', object: part },
    detail: `not asked because somebody holds a lock: ${rows[0]?.holders ?? ''}`,
    remedy: 'end the transaction that the detail names, then run the command again',
    who: 'dba',
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
