/** One thing that a DBA did by hand, as it would be typed in psql; `:"DBNAME"` is the database. */
export interface Action {
  /** What was done, in a DBA's words. */
  readonly title: string;
  /** The statements; where there is an `undo`, each of the list is sent by itself. */
  readonly make: string | readonly string[];
  /** Who does it: the superuser unless said otherwise. */
  readonly by?: 'superuser' | 'owner';
  /** What takes it back where it cannot be in a transaction, which is rolled back otherwise. */
  readonly undo?: string | readonly string[];
  /** The first release of Postgres that has it. */
  readonly since?: 16 | 17 | 18;
  /** The extension that it takes. */
  readonly needs?: string;
}

/** An action that weakens what the service promises. */
export interface Breakage extends Action {
  /** Who reads, loses, forges or becomes what by it. */
  readonly lets: string;
}

/** An action that weakens nothing: ideally the audit stays quiet. */
export interface Ordinary extends Action {
  readonly quiet: true;
}
