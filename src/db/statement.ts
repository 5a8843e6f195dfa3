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
