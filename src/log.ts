import { pino, type DestinationStream, type Logger } from 'pino';
import { LOG_DEPTH, LOG_MEMBERS, LOG_STACK_CHARACTERS, LOG_TEXT_CHARACTERS } from './limits.ts';

const WARN = 40;

/** What pino writes; the latter three of a request. */
interface Line {
  readonly level: number;
  readonly time: number;
  readonly msg?: string;
  readonly err?: { readonly stack?: string };
  readonly action?: string;
  readonly status?: number;
  readonly durationMs?: number;
}

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

/** For a terminal: one line for each record, without the control characters that a request may have sent. */
export function plainLines(out: DestinationStream = pino.destination({ sync: true })): DestinationStream {
  return {
    write: (json) => {
      const { level, time, msg, err, ...others } = JSON.parse(json) as Line;
      const { action, status, durationMs } = others;
      const said = action === undefined ? msg : `${action} ${status} in ${durationMs} ms`;
      const words = [new Date(time).toTimeString().slice(0, 8), said];
      if (level >= WARN)
        words.push(JSON.stringify({ ...others, pid: undefined, hostname: undefined }), err?.stack);
      out.write(
        `${words
          .filter(Boolean)
          .join(' ')
          .replaceAll(/(?!\n)\p{Cc}/gu, ' ')}\n`,
      );
    },
  };
}

function bounded(value: unknown, depth: number, longest = LOG_TEXT_CHARACTERS): unknown {
  if (typeof value === 'string') return cut(value, longest);
  // The serializer of errors runs later and shortens its output itself.
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
