import { pino } from 'pino';

/** Creates a logger that keeps its lines. Its function `logged` waits for a line with the given text. */
export function createTestLogger(): {
  log: pino.Logger;
  logged: (message: string) => Promise<void>;
  loggedText: () => string;
} {
  let text = '';
  const waiting: { message: string; resolve: () => void }[] = [];
  const write = (line: string): void => {
    text += line;
    for (const { message, resolve } of waiting) if (text.includes(message)) resolve();
  };
  return {
    log: pino({ level: 'debug' }, { write }),
    loggedText: () => text,
    logged: (message) =>
      new Promise((resolve) => {
        if (text.includes(message)) resolve();
        else waiting.push({ message, resolve });
      }),
  };
}
