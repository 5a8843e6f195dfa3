import { DatabaseError } from 'pg-protocol';

/**
 * The database is out of reach: no connection could be had in time, or the one in use was lost.
 * `cause` is what pg or the server said last. Of a write it is then unknown whether it was committed.
 */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';
}

/**
 * The database does not let the service do what its release needs, whoever asks: a grant or a role is not there, or the
 * login has a setting that no request can work with. Nothing was done; `cause` is what the server said.
 */
export class RightMissing extends Error {
  override readonly name = 'RightMissing';
}

/** insufficient_privilege, and what Postgres says of a role that is not there when it is to be set. */
const NOT_ALLOWED = '42501';
const NO_SUCH_ROLE = '22023';

/**
 * Where Postgres raises 42501 about the caller: at the check of a policy, and where a function of ours raises it. By
 * the place in its source, since the words of the message follow `lc_messages`.
 */
const DECISIONS: readonly unknown[] = ['ExecWithCheckOptions', 'exec_stmt_raise'];

/** Whether a statement failed for want of a right that callers are meant to have. */
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

/** What a function of ours says of a conflict (TX409), by field and for the caller: the detail of the error, as JSON. */
export function conflictDetails(error: unknown): Readonly<Record<string, string>> | undefined {
  if (sqlState(error) !== 'TX409' || !(error instanceof DatabaseError)) return undefined;
  try {
    return JSON.parse(error.detail ?? '') as Record<string, string>;
  } catch {
    // Nobody of ours wrote it, and the caller is not shown it.
    return undefined;
  }
}
