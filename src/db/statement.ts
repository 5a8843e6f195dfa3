export type Parameter = string | number | boolean | null | Date | readonly string[];

/** One SQL statement as a value: its text, with `$1`…`$n`, and the values for them. */
export interface Statement {
  readonly text: string;
  readonly values: readonly Parameter[];
}

export interface Result {
  readonly rows: readonly (readonly (string | null)[])[];
  readonly rowCount: number;
}
