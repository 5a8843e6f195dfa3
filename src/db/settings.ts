import type { RequestContext } from './request-settings.ts';
import type { StatementResult, Statement } from './statement.ts';

/*
 * Only this file writes the Postgres settings `app.*` and the role. All `app.*` settings are local to the transaction.
 * Each transaction writes every setting that its statements read, so it never reads a value of another request.
 */

const OUTPUT_FORMATS_SQL = `
    set_config('timezone', 'UTC', true),
    set_config('datestyle', 'ISO', true)`;

/** Sets the application name, with the request's id, for pg_stat_activity and the server's log (`%a`). */
const APPLICATION_NAME_SQL = `
    set_config('application_name', 'taxclaims-api ' || $8, true)`;

/** Selects `set_config(…) is not null`, because set_config would send back the long list of clients. */
const buildReadOnlySettingsSql = (clients: string): string => `
select
    set_config('transaction_read_only', 'on', true),${OUTPUT_FORMATS_SQL},
    set_config('statement_timeout', $1, true),
    set_config('app.client_access', ${clients}, true) is not null,
    set_config('app.user_id', app.caller_id($3, to_timestamp($4), $5, $6)::text, true),${APPLICATION_NAME_SQL},
    set_config('role', $7, true)`;

const READ_ONLY_SETTINGS_SQL = buildReadOnlySettingsSql('$2');
/** Limits a request that reads one record to the rows of the record's client. */
const SINGLE_RECORD_SETTINGS_SQL = buildReadOnlySettingsSql('app.narrowed($2, $9, $10)');

/**
 * For requests that write: adds the settings that triggers copy into the audit records. The statement time-out also
 * limits how long a transaction may wait for its next statement.
 */
const READ_WRITE_SETTINGS_SQL = `
select
    set_config('transaction_read_only', 'off', true),${OUTPUT_FORMATS_SQL},
    set_config('statement_timeout', $1, true),
    set_config('idle_in_transaction_session_timeout', $1, true),
    set_config('app.client_access', $2, true) is not null,
    set_config('app.request_id', $8, true),
    set_config('app.actor', $3, true),
    set_config('app.action', $9, true),
    set_config('app.ip_address', $10, true),
    set_config('app.user_agent', $11, true),
    set_config('app.user_id', app.caller_id($3, to_timestamp($4), $5, $6)::text, true),${APPLICATION_NAME_SQL},
    set_config('role', $7, true)`;

/** SQL for the milliseconds from BEGIN to the statement that writes the settings, for the request's timeline. */
const ELAPSED_TIME_COLUMN_SQL = `,
    extract(epoch from clock_timestamp() - transaction_timestamp()) * 1000`;

export function createTimingRecorder(
  context: RequestContext | undefined,
): ((result: StatementResult) => void) | undefined {
  const timeline = context?.timeline;
  if (timeline === undefined) return undefined;
  return ({ rows }) => {
    timeline.settingsMs += Math.max(Number(rows[0]?.at(-1)) || 0, 0);
  };
}

const LOGIN_SETTINGS_SQL = `
select${OUTPUT_FORMATS_SQL},
    set_config('statement_timeout', $1, true),
    set_config('app.client_access', '', true),
    set_config('app.request_id', '', true),
    set_config('app.actor', '', true),
    set_config('app.user_id', '', true),
    set_config('app.action', '', true),
    set_config('app.ip_address', '', true),
    set_config('app.user_agent', '', true),
    set_config('role', 'none', true)`;

const NEXT_BATCH_SETTINGS_SQL = `
select
    set_config('app.client_access', $1, true) is not null,
    set_config('role', $2, true)`;

/**
 * Turns statement_timeout off before COMMIT: the time-out would end the wait for a standby, and Postgres would report
 * success. The class Session limits the time of COMMIT itself.
 */
export const DISABLE_TIMEOUT_STATEMENT: Statement = {
  text: `select set_config('statement_timeout', '0', true)`,
  values: [],
};

export function idleTimeoutSetting(timeoutMs: number): Statement {
  return { text: `select set_config('idle_in_transaction_session_timeout', $1, true)`, values: [timeoutMs] };
}

const UUID_PATTERN = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The database role of a request's transaction; `none`, the login's own role, if there is no request. */
export function determineDatabaseRole(context: RequestContext | undefined): string {
  if (context === undefined) return 'none';
  const { caller, client } = context;
  if (caller.role !== 'ADMIN') return `taxclaims_${caller.role.toLowerCase()}`;
  return caller.clientAccess.length === 0 && client === undefined ? 'taxclaims_admin' : 'taxclaims_scoped_admin';
}

/** Postgres raises TX401 if the token's rights are no longer valid. @throws TypeError where the client is no UUID */
export function buildSettingsStatement(context: RequestContext | undefined, statementTimeoutMs: number): Statement {
  if (context === undefined) return { text: LOGIN_SETTINGS_SQL, values: [statementTimeoutMs] };
  const { caller, readOnly, requestId, action, ipAddress, userAgent, timeline } = context;
  const elapsed = timeline === undefined ? '' : ELAPSED_TIME_COLUMN_SQL;
  const { subject, issuedAt, accessDigest, userId } = caller;
  const values = [
    statementTimeoutMs,
    clientAccessArray(context),
    subject,
    issuedAt,
    accessDigest,
    userId,
    determineDatabaseRole(context),
    requestId,
  ];
  if (!readOnly) return { text: READ_WRITE_SETTINGS_SQL + elapsed, values: [...values, action, ipAddress, userAgent] };
  const record = context.client === undefined && caller.clientAccess.length > 1 ? context.record : undefined;
  if (record === undefined) return { text: READ_ONLY_SETTINGS_SQL + elapsed, values };
  return { text: SINGLE_RECORD_SETTINGS_SQL + elapsed, values: [...values, record.table, record.id] };
}

export function nextBatchSettingsStatement(context: RequestContext | undefined): Statement {
  const clients = context === undefined ? '' : clientAccessArray(context);
  return { text: NEXT_BATCH_SETTINGS_SQL, values: [clients, determineDatabaseRole(context)] };
}

/**
 * The list of clients comes from a verified token and is not checked again. A client that the request names must be one
 * UUID, because `a,b` would name two clients.
 */
function clientAccessArray({ caller, client }: RequestContext): string {
  if (client === undefined) return `{${caller.clientAccess.join(',')}}`;
  if (!UUID_PATTERN.test(client)) throw new TypeError('The client that a request names must be a UUID.');
  return `{${client}}`;
}
