import { DatabaseError } from 'pg-protocol';

/**
 * No connection could be had in time, or the one in use was lost: `cause` says how. Whether a write was committed is unknown.
 */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';
}

/**
 * A grant or a role is missing, or the login has a setting with which no request can work. Nothing was done.
 */
export class RightMissing extends Error {
  override readonly name = 'RightMissing';
}

/** insufficient_privilege, and what Postgres says of a role that is not there when it is to be set. */
const NOT_ALLOWED = '42501';
const NO_SUCH_ROLE = '22023';

/** The functions in which Postgres raises 42501 about the caller; the words of the message follow `lc_messages`. */
const DECISIONS: readonly unknown[] = ['ExecWithCheckOptions', 'exec_stmt_raise'];

export function isGrantMissing(error: unknown): boolean {
  return sqlState(error) === NOT_ALLOWED && !DECISIONS.includes((error as DatabaseError).routine);
}

/** The same of the settings of a request, in which nothing decides about the caller. */
export function areSettingsRefused(error: unknown): boolean {
  return [NOT_ALLOWED, NO_SUCH_ROLE].includes(sqlState(error) ?? '');
}

export function sqlState(error: unknown): string | undefined {
  return error instanceof DatabaseError ? error.code : undefined;
}

export function constraintOf(error: unknown): string | undefined {
  return error instanceof DatabaseError ? error.constraint : undefined;
}

/** The detail of a conflict that a function of ours raises (TX409): sentences for the caller, by field. */
export function conflictDetails(error: unknown): Readonly<Record<string, string>> | undefined {
  if (sqlState(error) !== 'TX409' || !(error instanceof DatabaseError)) return undefined;
  try {
    return JSON.parse(error.detail ?? '') as Record<string, string>;
  } catch {
    return undefined;
  }
}
