import { LRUCache } from 'lru-cache';
import { CACHED_STATEMENT_NAMES } from '../limits.ts';

export type StatementParameter = string | number | boolean | null | Date | readonly string[];

/** An SQL statement; its text has placeholders `$1`…`$n` for the values. */
export interface Statement {
  readonly text: string;
  readonly values: readonly StatementParameter[];
}

export interface StatementResult {
  readonly rows: readonly (readonly (string | null)[])[];
  readonly rowCount: number;
}

const DATA_STATEMENT_PATTERN = /^\s*(?:select|with|insert|update|delete|merge|values)\b/i;
const SESSION_FUNCTION_PATTERN = /\b(?:set_config|pg_(?:try_)?advisory_lock(?:_shared)?)\s*\(/i;

const dataStatements = new LRUCache<string, boolean>({
  max: CACHED_STATEMENT_NAMES,
  memoMethod: (text) => DATA_STATEMENT_PATTERN.test(text) && !SESSION_FUNCTION_PATTERN.test(text),
});

/** Refuses statements that do not begin with a data command, such as `select` or `insert`. */
export function assertDataStatements(statements: readonly Statement[]): void {
  if (!statements.every(({ text }) => dataStatements.memo(text)))
    throw new TypeError('A statement must act on data, not on the session or the transaction.');
}
