import type { ErrorCode, UnavailableCause } from '../errors.ts';

/** The service's error code for each SQLSTATE or SQLSTATE class; an SQLSTATE that is not listed here gets a 500. */
const CODES_BY_SQLSTATE: Readonly<Record<string, ErrorCode>> = {
  TX400: 'ERROR_VALIDATION',
  TX401: 'ERROR_UNAUTHORIZED',
  TX404: 'ERROR_NOT_FOUND',
  TX410: 'ERROR_VALIDATION',
  TX409: 'ERROR_CONFLICT',
  TX412: 'ERROR_PRECONDITION_FAILED',

  '42501': 'ERROR_FORBIDDEN', // a row policy; RightMissing stands for a missing grant

  '23502': 'ERROR_VALIDATION', // not null
  '23514': 'ERROR_VALIDATION', // check
  '23503': 'ERROR_CONFLICT', // foreign key
  '23505': 'ERROR_CONFLICT', // unique
  '23P01': 'ERROR_CONFLICT', // exclusion
  '23001': 'ERROR_CONFLICT', // restrict

  '22001': 'ERROR_VALIDATION', // text too long
  '22003': 'ERROR_VALIDATION', // number out of range
  '22007': 'ERROR_VALIDATION', // malformed date or time
  '22008': 'ERROR_VALIDATION', // date or time out of range
  '22009': 'ERROR_VALIDATION', // time zone out of range
  '22023': 'ERROR_VALIDATION', // a value that its type does not accept, such as one in an invented cursor
  '22021': 'ERROR_VALIDATION', // text not in the encoding, such as a NUL
  '22P02': 'ERROR_VALIDATION', // malformed value
  '22P05': 'ERROR_VALIDATION', // untranslatable character

  // SQLSTATEs of failures that changed nothing; a second attempt may succeed.
  '40001': 'ERROR_UNAVAILABLE', // serialization failure
  '40P01': 'ERROR_UNAVAILABLE', // deadlock
  '55P03': 'ERROR_UNAVAILABLE', // lock not available
  '57014': 'ERROR_UNAVAILABLE', // statement timeout
  '57P01': 'ERROR_UNAVAILABLE', // administrator's shutdown
  '57P02': 'ERROR_UNAVAILABLE', // crash shutdown
  '57P03': 'ERROR_UNAVAILABLE', // starting up or shutting down
  '57P04': 'ERROR_UNAVAILABLE', // database dropped
  '57P05': 'ERROR_UNAVAILABLE', // idle session timeout
  '25001': 'ERROR_UNAVAILABLE', // a write to a standby or to a database with read-only transactions
  '25P03': 'ERROR_UNAVAILABLE', // idle in transaction timeout
  '25P04': 'ERROR_UNAVAILABLE', // transaction timeout
  // A missing table, column or function means that the database has an older release than the service.
  '3F000': 'ERROR_UNAVAILABLE', // no such schema
  '42P01': 'ERROR_UNAVAILABLE', // no such table
  '42703': 'ERROR_UNAVAILABLE', // no such column
  '42883': 'ERROR_UNAVAILABLE', // no such function
  '08': 'ERROR_UNAVAILABLE', // connection
  '53': 'ERROR_UNAVAILABLE', // out of connections, memory or disk
};

const READ_ONLY_SQLSTATE = '25006';
const READ_METHODS = new Set(['GET', 'HEAD']);

/**
 * Transactions of GET and HEAD are READ ONLY, so a refused write in them is a defect of the service. If Postgres
 * refuses a write of any other HTTP method, Postgres is a standby.
 */
export function findErrorCode(sqlstate: string, method = 'GET'): ErrorCode {
  if (sqlstate === READ_ONLY_SQLSTATE && !READ_METHODS.has(method)) return 'ERROR_UNAVAILABLE';
  return CODES_BY_SQLSTATE[sqlstate] ?? CODES_BY_SQLSTATE[sqlstate.slice(0, 2)] ?? 'ERROR_INTERNAL';
}

const CAUSES_BY_SQLSTATE: Readonly<Record<string, UnavailableCause>> = {
  '40': 'contention',
  '55P03': 'contention',
  '57014': 'time_out',
  '25P03': 'time_out',
  '25P04': 'time_out',
  '25': 'read_only',
  '3F': 'schema',
  '42': 'schema',
};

export function findUnavailableCause(sqlstate: string): UnavailableCause {
  return CAUSES_BY_SQLSTATE[sqlstate] ?? CAUSES_BY_SQLSTATE[sqlstate.slice(0, 2)] ?? 'database';
}
