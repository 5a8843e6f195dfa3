import type { Callers } from './callers.ts';
import { compareTexts } from './compare.ts';
import type { Opened } from './round.ts';
import { take } from './step.ts';
import type { Step } from './step.ts';
import type { World } from './world.ts';

/** A channel by which a caller can notice other tenants. docs/channels.md has a line for each, with its name and size. */
export interface Channel {
  readonly name: string;
  readonly size: string;
  /** SQL that runs in both worlds beforehand. */
  readonly both?: (callers: Callers) => string;
  /** What other tenants do in the second world before it is asked; returns a function that ends it. */
  readonly others?: (world: World, callers: Callers) => Promise<(() => Promise<void>) | undefined>;
  /** The requests or statements; the answer to the last one differs. */
  readonly steps: (callers: Callers) => readonly Step[];
  /** The parts of the answer that differ, or the two HTTP statuses. */
  readonly tells: RegExp | readonly [string, string];
}

export const EVERYTHING = /^[^]*$/g;

/** Runs SQL as the effect of other tenants' actions. */
export const bySql =
  (sql: (callers: Callers) => string) =>
  async (world: World, callers: Callers): Promise<undefined> => {
    await world.admin(sql(callers));
  };

/**
 * Describes how a channel differs from what docs/channels.md states: nothing differs, or more than it states.
 * @returns undefined if the channel is as stated
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
    // The counters of times, tags, ids and places are removed, because the worlds may differ in them.
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
