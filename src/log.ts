import { pino } from 'pino';
import type { DestinationStream, Logger } from 'pino';

/** The longest text of a line; a stack has room for some frames. */
const LONGEST_TEXT = 1_000;
const LONGEST_STACK = 4_000;
const MOST_MEMBERS = 30;
const DEEPEST = 4;

/** The beginning of a text that is too long, which then says so. */
export function cut(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest)}… (${text.length} characters)`;
}

/** A log whose lines are bounded, whatever a stranger or a library has put into them. */
export function createLog(level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    formatters: { log: (line: Record<string, unknown>) => bounded(line, 0) as Record<string, unknown> },
    serializers: { err: (error: Error) => bounded(pino.stdSerializers.err(error), 1) },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}

function bounded(value: unknown, depth: number, longest = LONGEST_TEXT): unknown {
  if (typeof value === 'string') return cut(value, longest);
  // Its serializer comes later, and bounds what it makes of it.
  if (typeof value !== 'object' || value === null || value instanceof Error || value instanceof Date)
    return value;
  if (depth > DEEPEST) return 'too deep';
  const members = Object.entries(value).slice(0, MOST_MEMBERS);
  const kept = members.map(([name, member]): [string, unknown] => [
    cut(name, LONGEST_TEXT),
    bounded(member, depth + 1, name === 'stack' ? LONGEST_STACK : LONGEST_TEXT),
  ]);
  return Array.isArray(value) ? kept.map(([, member]) => member) : Object.fromEntries(kept);
}
