import type { Callers } from './callers.ts';
import { compareTexts } from './compare.ts';
import type { Opened } from './round.ts';
import { take } from './step.ts';
import type { Step } from './step.ts';
import type { World } from './world.ts';

/** What still tells of others, as docs/channels.md states it: a line there for each, with the same name and size. */
export interface Channel {
  readonly name: string;
  readonly size: string;
  /** What there is in both worlds. */
  readonly both?: (callers: Callers) => string;
  /** What others do, between the questions to one world and to the other; gives what ends it. */
  readonly others?: (world: World, callers: Callers) => Promise<(() => Promise<void>) | undefined>;
  /** The last of them tells. */
  readonly steps: (callers: Callers) => readonly Step[];
  /** All that differs in its answer; everything else is the same. Of a status: the two that there are. */
  readonly tells: RegExp | readonly [string, string];
}

export const EVERYTHING = /^[^]*$/g;

/** SQL that others cause to be run. */
export const bySql =
  (sql: (callers: Callers) => string) =>
  async (world: World, callers: Callers): Promise<undefined> => {
    await world.admin(sql(callers));
  };

/**
 * What is wrong with the statement of a channel: nothing that differs, or more than it says.
 * @returns undefined where it is true
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
    // How many were made before is no matter.
    return text.replaceAll(/<(time|tag|id|place) \d+>/g, '<$1>');
  };
  const here = await lastAnswerOf(first);
  const end = await others?.(second, callers);
  const there = await lastAnswerOf(second);
  await end?.();
  if (here === there) return `${name}: nothing differs any more: ${here.slice(0, 300)}`;
  if (tells instanceof RegExp) {
    const [one, other] = [here.replaceAll(tells, '<told>'), there.replaceAll(tells, '<told>')];
    return one === other ? undefined : `${name}: tells more than it says: ${compareTexts(one, other)}`;
  }
  const statuses = [here, there].map((text) => text.slice(0, 3));
  return statuses.join() === tells.join()
    ? undefined
    : `${name}: ${statuses.join()} instead of ${tells.join()}: ${there.slice(-300)}`;
}
