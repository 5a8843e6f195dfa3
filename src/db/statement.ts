/** A value that Postgres reads as text; arrays become array literals. */
export type Parameter = string | number | boolean | null | Date | readonly string[];

/** One SQL statement as a value: its text, with `$1`…`$n`, and the values for them. */
export interface Statement {
  readonly text: string;
  readonly values: readonly Parameter[];
}

/** What a statement gave: columns as Postgres wrote them in text. */
export interface Result {
  readonly rows: readonly (readonly (string | null)[])[];
  /** Rows touched or returned, from the command tag. */
  readonly rowCount: number;
}
