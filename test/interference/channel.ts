import type { Callers } from './callers.ts';
import { compareTexts } from './compare.ts';
import type { Opened } from './round.ts';
import { take } from './step.ts';
import type { Step } from './step.ts';
import type { World } from './world.ts';

/**
 * A way by which a caller learns something about other tenants. docs/channels.md describes each of these ways in one
 * line.
 */
export interface Channel {
  readonly name: string;
  readonly size: string;
  /** SQL that the superuser runs in both compared databases before the caller sends requests. */
  readonly both?: (callers: Callers) => string;
  /**
   * Acts as other tenants in the second of the two compared databases, before the caller sends requests there. Returns
   * a function that ends these actions.
   */
  readonly others?: (world: World, callers: Callers) => Promise<(() => Promise<void>) | undefined>;
  /**
   * The requests or SQL that the caller sends to both compared databases. Only the answers to the last request or
   * statement are allowed to differ.
   */
  readonly steps: (callers: Callers) => readonly Step[];
  /**
   * A pattern for the parts of the answer that are allowed to differ between the two compared databases, or the HTTP
   * statuses of the first and the second database’s answer.
   */
  readonly tells: RegExp | readonly [string, string];
}

export const EVERYTHING = /^[^]*$/g;

/** Runs SQL in the second of the two compared databases. The SQL has the same effect as requests of other tenants. */
export const bySql =
  (sql: (callers: Callers) => string) =>
  async (world: World, callers: Callers): Promise<undefined> => {
    await world.admin(sql(callers));
  };

/**
 * Compares what a caller learns about other tenants with docs/channels.md. Returns an objection if the caller learns
 * nothing, or more than that page says.
 * @returns undefined if the page is right
 */
export async function objectionTo(channel: Channel, opened: Opened, turn: string): Promise<string | undefined> {
  const { name, both, others, steps, tells } = channel;
  const [first, second] = [opened.worlds[0], opened.worlds.at(-1)];
  if (first === undefined || second === undefined) return `${name}: there are no two worlds`;
  const callers = await opened.callers();
  await opened.granted(callers);
  for (const world of [first, second]) if (both !== undefined) await world.admin(both(callers));
  const lastAnswerOf = async (world: World): Promise<string> => {
    let text = '';
    for (const [index, step] of steps(callers).entries()) ({ text } = await take(world, step, `${turn}.${index}`));
    // The answers have numbers in place of times, ETags and ids. Two databases can number these differently, so the
    // numbers are removed before the answers are compared.
    return text.replaceAll(/<(time|tag|id|place) \d+>/g, '<$1>');
  };
  const here = await lastAnswerOf(first);
  const end = await others?.(second, callers);
  const there = await lastAnswerOf(second);
  await end?.();
  if (here === there) return `${name}: the answers do not differ: ${here.slice(0, 300)}`;
  if (tells instanceof RegExp) {
    const [one, other] = [here.replaceAll(tells, '<told>'), there.replaceAll(tells, '<told>')];
    return one === other ? undefined : `${name}: shows more than docs/channels.md says: ${compareTexts(one, other)}`;
  }
  const statuses = [here, there].map((text) => text.slice(0, 3));
  return statuses.join() === tells.join()
    ? undefined
    : `${name}: ${statuses.join()} instead of ${tells.join()}: ${there.slice(-300)}`;
}
