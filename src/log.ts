import { pino, type DestinationStream, type Logger } from 'pino';
import { MAX_LOGGED_DEPTH, MAX_LOGGED_PROPERTIES, LOG_STACK_CHARACTERS, LOG_TEXT_CHARACTERS } from './limits.ts';

const WARN_LEVEL = 40;

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
  const pinoOptions = {
    level,
    formatters: {
      log: (line: Record<string, unknown>) => limitLoggedValue(line, 0) as Record<string, unknown>,
    },
    serializers: { err: (error: Error) => limitLoggedValue(pino.stdSerializers.err(error), 1) },
  };
  return destination === undefined ? pino(pinoOptions) : pino(pinoOptions, destination);
}

/** Writes the log for a terminal: plain text, without the control characters that a request may have sent. */
export function createPlainTextLog(out: DestinationStream = pino.destination({ sync: true })): DestinationStream {
  return {
    write: (json) => {
      const { level, time, msg, err, ...others } = JSON.parse(json) as LogRecord;
      const { action, status, durationMs } = others;
      const requestSummary = action === undefined ? msg : `${action} ${status} in ${durationMs} ms`;
      const plainTextLineParts = [new Date(time).toTimeString().slice(0, 8), requestSummary];
      if (level >= WARN_LEVEL)
        plainTextLineParts.push(JSON.stringify({ ...others, pid: undefined, hostname: undefined }), err?.stack);
      out.write(
        `${plainTextLineParts
          .filter(Boolean)
          .join(' ')
          .replaceAll(/(?!\n)\p{Cc}/gu, ' ')}\n`,
      );
    },
  };
}

function limitLoggedValue(value: unknown, depth: number, maxCharacters = LOG_TEXT_CHARACTERS): unknown {
  if (typeof value === 'string') return truncate(value, maxCharacters);
  // Returns an error unchanged, because the log's error serializer shortens it later.
  if (typeof value !== 'object' || value === null || value instanceof Error || value instanceof Date) return value;
  if (depth > MAX_LOGGED_DEPTH) return 'too deep';
  const loggedPropertyEntries = Object.entries(value).slice(0, MAX_LOGGED_PROPERTIES);
  const truncatedPropertyEntries = loggedPropertyEntries.map(([name, member]): [string, unknown] => [
    truncate(name, LOG_TEXT_CHARACTERS),
    limitLoggedValue(member, depth + 1, name === 'stack' ? LOG_STACK_CHARACTERS : LOG_TEXT_CHARACTERS),
  ]);
  return Array.isArray(value)
    ? truncatedPropertyEntries.map(([, member]) => member)
    : Object.fromEntries(truncatedPropertyEntries);
}
