import { describe, take } from './step.ts';
import type { Step, StepAnswer } from './step.ts';
import type { World } from './world.ts';

export interface Compared {
  requests: number;
  statements: number;
  /** How many bytes all compared answers have, including those of the first database. */
  bytes: number;
  differing: number;
  /**
   * How many answers had each outcome. The outcome of a request is its HTTP status. The outcome of SQL is 'rows', or
   * the SQLSTATE of an error.
   */
  readonly outcomes: Map<string, number>;
  readonly differences: string[];
}

export const nothingYet = (): Compared => ({
  requests: 0,
  statements: 0,
  bytes: 0,
  differing: 0,
  outcomes: new Map(),
  differences: [],
});

const CONTEXT = 120;

let turns = 0;

/**
 * How often the same SQL is sent if the answers of the databases differ. A role that another test creates meanwhile can
 * cause such a difference.
 */
export const ATTEMPTS = 3;

/**
 * Sends a request or SQL statement to several databases. Compares their answers with the answer of the first database.
 */
export async function compare(worlds: readonly World[], step: Step, sum: Compared): Promise<void> {
  let answers = await ask(worlds, step);
  for (let attempt = 1; 'sql' in step && attempt < ATTEMPTS && !areAlike(answers); attempt += 1)
    answers = await ask(worlds, step);
  const [expected, ...told] = answers;
  if (expected === undefined) return;
  if ('sql' in step) sum.statements += 1;
  else sum.requests += 1;
  sum.bytes += expected.bytes;
  const outcome =
    'sql' in step ? (/^error .*?"code":"(\w+)"/m.exec(expected.text)?.[1] ?? 'rows') : expected.text.slice(0, 3);
  sum.outcomes.set(outcome, (sum.outcomes.get(outcome) ?? 0) + 1);
  for (const [index, { bytes, text }] of told.entries()) {
    sum.bytes += bytes;
    if (text === expected.text) continue;
    sum.differing += differingBytes(expected.text, text);
    sum.differences.push(
      `${describe(step)}\n     ${worlds[index + 1]?.name ?? ''}: ${compareTexts(expected.text, text)}`,
    );
  }
}

const areAlike = (answers: readonly StepAnswer[]): boolean => new Set(answers.map(({ text }) => text)).size <= 1;

/**
 * Sends a writing request to one database after another. If the services wrote at the same time, one would wait for the
 * transaction of another.
 */
async function ask(worlds: readonly World[], step: Step): Promise<StepAnswer[]> {
  turns += 1;
  const turn = String(turns);
  if ('sql' in step || /^(GET|HEAD) /.test(step.line))
    return Promise.all(worlds.map((world) => take(world, step, turn)));
  const answers: StepAnswer[] = [];
  for (const world of worlds) answers.push(await take(world, step, turn));
  return answers;
}

/** How many bytes lie between the first and the last difference of two answers. */
function differingBytes(one: string, other: string): number {
  const start = firstDifference(one, other);
  const most = Math.min(one.length, other.length) - start;
  let end = 0;
  while (end < most && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  return Math.max(one.length, other.length) - start - end;
}

function firstDifference(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
}

export function compareTexts(one: string, other: string): string {
  const at = Math.max(0, firstDifference(one, other) - CONTEXT / 4);
  const shown = (text: string): string => JSON.stringify(text.slice(at, at + CONTEXT));
  return `${shown(other)}\n     instead of ${shown(one)}`;
}
