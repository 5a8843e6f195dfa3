import type { World } from './world.ts';

/** One attack on the service, with the results by which a test recognises that the attack failed. */
export interface Attack {
  readonly tries: string;
  /** The standard or the list that describes this kind of attack, for example `RFC 9112, 6.1`. */
  readonly source: string;
  /** The results that mean that the attack has failed: HTTP statuses, SQLSTATEs or kinds of SQL results. */
  readonly must: readonly string[];
  /**
   * The text that the attacker sends. If it contains ids or words of another tenant, the answer is allowed to repeat
   * them.
   */
  readonly said?: string;
  /**
   * The reason why the answer to this attack is allowed to contain data of another tenant. Without a reason, such data
   * counts as a leak.
   */
  readonly known?: string;
  /** The attack counts as unanswered after this time, in milliseconds. */
  readonly maxMs?: number;
  readonly attempt: () => Promise<AttackResponse>;
}

/** What the service or Postgres answered to an attack. */
export interface AttackResponse {
  /**
   * The HTTP statuses of the answers, separated by commas. For an attack by SQL: the SQLSTATE or the kind of result,
   * for example `rows` or `update 0`.
   */
  readonly result: string;
  /** The whole text that was answered: headers and bodies, or rows, errors and notices. */
  readonly text: string;
  /**
   * The ids of the attack’s requests that the service answered with 401 or 403. Each of these requests must have an
   * audit record.
   */
  readonly refusals: readonly string[];
  /** A measurement for the report of `npm run proofs -- abuse`, for example a waiting time. */
  readonly figure?: string;
}

export interface Area {
  readonly name: string;
  /**
   * How many megabytes more memory the service is allowed to use after this group of attacks; MAY_GROW_MB if absent.
   */
  readonly mayGrowMb?: number;
  readonly attacks: (world: World) => readonly Attack[] | Promise<readonly Attack[]>;
}

/** Splits a text such as `400|404` into the results that an attack is allowed to have. */
export function anyOf(words: string): readonly string[] {
  return words.split('|').map((word) => word.trim());
}

/** The properties that differ between the attacks of one group. */
type Own<Rest> = Rest extends readonly unknown[] ? Rest : [Rest];

/**
 * Makes a group of attacks with the same source and the same accepted results. `rows` has the other properties of each
 * attack, by the attack’s name.
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
