import type { World } from './world.ts';

/** One attack on the service, with the results that count as its failure. */
export interface Attack {
  readonly tries: string;
  /** The standard or list that describes the attack, such as `RFC 9112, 6.1`. */
  readonly source: string;
  /** The results that mean that the attack has failed, in the form of `AttackResponse.result`. */
  readonly must: readonly string[];
  /** The text that the attacker sends; the answer may repeat foreign ids and words from this text. */
  readonly said?: string;
  /** The reason why the answer to this attack may show foreign data; without a reason such an answer is a leak. */
  readonly known?: string;
  /** Milliseconds after which the attack counts as unanswered. */
  readonly maxMs?: number;
  readonly attempt: () => Promise<AttackResponse>;
}

/** The answer of the service or of Postgres to an attack. */
export interface AttackResponse {
  /** The HTTP statuses with commas between them, the SQLSTATE, or the kind of SQL result, such as `rows` or `update 0`. */
  readonly result: string;
  /** The whole text of the answer: headers and bodies, or rows, errors and notices. */
  readonly text: string;
  /** The ids of the requests that got 401 or 403, each of which needs an audit record. */
  readonly refusals: readonly string[];
  /** A measurement that `npm run proofs -- abuse` prints, whether or not the attack has failed. */
  readonly figure?: string;
}

export interface Area {
  readonly name: string;
  /** The megabytes by which the service’s memory may grow during the attacks of the area; by default MAY_GROW_MB. */
  readonly mayGrowMb?: number;
  readonly attacks: (world: World) => readonly Attack[] | Promise<readonly Attack[]>;
}

/** Splits the accepted results of an attack, which are written with `|` between them. */
export function anyOf(words: string): readonly string[] {
  return words.split('|').map((word) => word.trim());
}

/** The values of an attack’s row that follow the values that it shares with other rows. */
type Own<Rest> = Rest extends readonly unknown[] ? Rest : [Rest];

/**
 * Makes the rows of several attacks with the same source and the same accepted results; `rows` has the rest of each row
 * by the attack’s name.
 */
export function alike<const Common extends readonly string[], const Rest>(
  common: Common,
  rows: Readonly<Record<string, Rest>>,
): (readonly [tries: string, ...Common, ...Own<Rest>])[] {
  return Object.entries(rows).map(([tries, rest]) => {
    const own = (Array.isArray(rest) ? rest : [rest]) as Own<Rest>;
    return [tries, ...common, ...own] as const;
  });
}
