import type { World } from './world.ts';

/** One attack: what it tries, after which source, what must happen, and how it is made. */
export interface Attack {
  readonly tries: string;
  /** Where the attack is described, so that whoever doubts the answer can read it. */
  readonly source: string;
  /** Every result with which it has failed, as `AttackResponse` writes results. */
  readonly must: readonly string[];
  /** What the attacker itself says, and so may be told again. */
  readonly said?: string;
  /** Why something of others may be told all the same: what stands nowhere else may not. */
  readonly known?: string;
  /** An attack that takes longer has got no answer. */
  readonly maxMs?: number;
  readonly attempt: () => Promise<AttackResponse>;
}

/** What came of an attack. */
export interface AttackResponse {
  /** Statuses of HTTP with commas between them, a SQLSTATE, or `2 rows`. */
  readonly result: string;
  /** Everything that the attacker was told, heads and bodies, rows, errors and notices. */
  readonly text: string;
  /** The requests that were answered 401 or 403. */
  readonly refusals: readonly string[];
  /** A figure that the proof prints, whether or not the attack has failed. */
  readonly figure?: string;
}

export interface Area {
  readonly name: string;
  /** How many megabytes of garbage the area may leave; by default MAY_GROW_MB. */
  readonly mayGrowMb?: number;
  readonly attacks: (world: World) => readonly Attack[] | Promise<readonly Attack[]>;
}

/** Results with blanks between them, as a row of a table writes them. */
export function anyOf(words: string): readonly string[] {
  return words.split('|').map((word) => word.trim());
}

/** What one row of a table has behind what it shares with others. */
type Own<Rest> = Rest extends readonly unknown[] ? Rest : [Rest];

/** The rows of a table that have their source and what must come of them in common, by what each tries. */
export function alike<const Common extends readonly string[], const Rest>(
  common: Common,
  rows: Readonly<Record<string, Rest>>,
): (readonly [tries: string, ...Common, ...Own<Rest>])[] {
  return Object.entries(rows).map(([tries, rest]) => {
    const own = (Array.isArray(rest) ? rest : [rest]) as Own<Rest>;
    return [tries, ...common, ...own] as const;
  });
}
