import { pino, type DestinationStream, type Logger } from 'pino';
import { LOG_DEPTH, LOG_MEMBERS, LOG_STACK_CHARACTERS, LOG_TEXT_CHARACTERS } from './limits.ts';

export function cut(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest)}… (${text.length} characters)`;
}

export function createLog(level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    formatters: { log: (line: Record<string, unknown>) => bounded(line, 0) as Record<string, unknown> },
    serializers: { err: (error: Error) => bounded(pino.stdSerializers.err(error), 1) },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}

function bounded(value: unknown, depth: number, longest = LOG_TEXT_CHARACTERS): unknown {
  if (typeof value === 'string') return cut(value, longest);
  // The serializer of errors runs later and limits its output itself.
  if (typeof value !== 'object' || value === null || value instanceof Error || value instanceof Date)
    return value;
  if (depth > LOG_DEPTH) return 'too deep';
  const members = Object.entries(value).slice(0, LOG_MEMBERS);
  const kept = members.map(([name, member]): [string, unknown] => [
    cut(name, LOG_TEXT_CHARACTERS),
    bounded(member, depth + 1, name === 'stack' ? LOG_STACK_CHARACTERS : LOG_TEXT_CHARACTERS),
  ]);
  return Array.isArray(value) ? kept.map(([, member]) => member) : Object.fromEntries(kept);
}
