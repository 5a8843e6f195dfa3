import { DatabaseError } from 'pg-protocol';
import type { BrokenRuleByField } from '../errors.ts';
import { castToProblemRule, rule } from '../problems.ts';

/**
 * Thrown if no database connection was free in time or the connection was lost. After a lost connection nobody knows
 * whether a write was committed.
 */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';
}

/** Thrown if the service lacks a grant or a role, or its database login has a setting that makes every request fail. */
export class RightMissing extends Error {
  override readonly name = 'RightMissing';
}

const INSUFFICIENT_PRIVILEGE_SQLSTATE = '42501';
/** SQLSTATE invalid_parameter_value: the role that a request needs does not exist. */
const NO_SUCH_ROLE_SQLSTATE = '22023';

/**
 * The C functions of Postgres that raise SQLSTATE 42501 if the caller lacks a right. If any other C function raises
 * 42501, the service lacks a right. The service does not compare the error's text, because the language of the text
 * depends on `lc_messages`.
 */
const POLICY_CHECK_ROUTINES: readonly unknown[] = ['ExecWithCheckOptions', 'exec_stmt_raise'];

export function isGrantMissing(error: unknown): boolean {
  return (
    sqlState(error) === INSUFFICIENT_PRIVILEGE_SQLSTATE &&
    !POLICY_CHECK_ROUTINES.includes((error as DatabaseError).routine)
  );
}

/** True if Postgres refused the role or the settings of a request, because the API's login lacks a right. */
export function areSettingsRefused(error: unknown): boolean {
  return [INSUFFICIENT_PRIVILEGE_SQLSTATE, NO_SUCH_ROLE_SQLSTATE].includes(sqlState(error) ?? '');
}

export function sqlState(error: unknown): string | undefined {
  return error instanceof DatabaseError ? error.code : undefined;
}

export function findConstraintName(error: unknown): string | undefined {
  return error instanceof DatabaseError ? error.constraint : undefined;
}

/**
 * Reads the broken rules (in the hint) and their fields (in the detail) from an error TX400 or TX409 of the service's
 * functions. If an operator's own trigger raises TX409 without a hint, the detail must have a sentence for each field.
 */
export function readRaisedRules(error: unknown): BrokenRuleByField | undefined {
  if (!['TX400', 'TX409'].includes(sqlState(error) ?? '') || !(error instanceof DatabaseError)) return undefined;
  try {
    const entries = Object.entries(JSON.parse(error.detail ?? '') as Record<string, string>);
    const hinted = castToProblemRule(error.hint ?? '');
    return Object.fromEntries(entries.map(([field, sentence]) => [field, hinted ?? rule('refused', { sentence })]));
  } catch {
    return undefined;
  }
}
