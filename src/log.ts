import { pino, type DestinationStream, type Logger } from 'pino';
import { MAX_LOGGED_DEPTH, MAX_LOGGED_PROPERTIES, LOG_STACK_CHARACTERS, LOG_TEXT_CHARACTERS } from './limits.ts';
import { replaceControlCharacters } from './single-line.ts';

const WARN_LEVEL = 40;
const STACK_LINE_BREAK_PATTERN = /\n(?= {4}at |caused by: )/;

/** One line of the JSON log that pino writes. Only the line of a request has `action`, `status` and `durationMs`. */
interface LogRecord {
  readonly level: number;
  readonly time: number;
  readonly msg?: string;
  readonly err?: { readonly stack?: string };
  readonly action?: string;
  readonly status?: number;
  readonly durationMs?: number;
}

export function truncate(text: string, maxCharacters: number): string {
  return text.length <= maxCharacters ? text : `${text.slice(0, maxCharacters)}… (${text.length} characters)`;
}

export function createLog(level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    formatters: { log: (line: Record<string, unknown>) => limitLoggedValue(line, 0) as Record<string, unknown> },
    // The JSON of a line escapes only the control characters below U+0020.
    hooks: { streamWrite: (line: string) => `${replaceControlCharacters(line.trimEnd())}\n` },
    serializers: { err: (error: Error) => limitLoggedValue(pino.stdSerializers.err(error), 1) },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}

/**
 * Writes the log for a terminal: plain text, without the control characters that a request may have sent. Only the calls
 * of a stack trace have lines of their own.
 */
export function createPlainTextLog(out: DestinationStream = pino.destination({ sync: true })): DestinationStream {
  return {
    write: (json) => {
      const { level, time, msg, err, ...others } = JSON.parse(json) as LogRecord;
      const { action, status, durationMs } = others;
      const summary = action === undefined ? msg : `${action} ${status} in ${durationMs} ms`;
      const parts = [new Date(time).toTimeString().slice(0, 8), summary];
      if (level >= WARN_LEVEL)
        parts.push(JSON.stringify({ ...others, pid: undefined, hostname: undefined }), err?.stack);
      const lines = parts.filter(Boolean).join(' ').split(STACK_LINE_BREAK_PATTERN).map(replaceControlCharacters);
      out.write(`${lines.join('\n')}\n`);
    },
  };
}

function limitLoggedValue(value: unknown, depth: number, maxCharacters = LOG_TEXT_CHARACTERS): unknown {
  if (typeof value === 'string') return truncate(value, maxCharacters);
  // Returns an error unchanged, because the log's error serializer shortens it later.
  if (typeof value !== 'object' || value === null || value instanceof Error || value instanceof Date) return value;
  if (depth > MAX_LOGGED_DEPTH) return 'too deep';
  const entries = Object.entries(value)
    .slice(0, MAX_LOGGED_PROPERTIES)
    .map(([name, member]): [string, unknown] => [
      truncate(name, LOG_TEXT_CHARACTERS),
      limitLoggedValue(member, depth + 1, name === 'stack' ? LOG_STACK_CHARACTERS : LOG_TEXT_CHARACTERS),
    ]);
  return Array.isArray(value) ? entries.map(([, member]) => member) : Object.fromEntries(entries);
}
