import { DatabaseError } from 'pg-protocol';

/**
 * The database is out of reach: no connection could be had in time, or the one in use was lost.
 * `cause` is what pg or the server said last. Of a write it is then unknown whether it was committed.
 */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';
}

/** The SQLSTATE of an error that the server answered with; undefined for any other. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof DatabaseError ? error.code : undefined;
}

/** The name of the constraint that a statement would have broken. */
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
