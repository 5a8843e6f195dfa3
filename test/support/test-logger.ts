import { Writable } from 'node:stream';
import { pino } from 'pino';

/** Creates a logger that keeps its lines. Its function `logged` waits for a line with the given text. */
export function createTestLogger(): {
  log: pino.Logger;
  logged: (message: string) => Promise<void>;
  loggedText: () => string;
} {
  let text = '';
  const waiting: { message: string; resolve: () => void }[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString();
      for (const { message, resolve } of waiting) if (text.includes(message)) resolve();
      done();
    },
  });
  return {
    log: pino({ level: 'debug' }, stream),
    loggedText: () => text,
    logged: (message) =>
      new Promise((resolve) => {
        if (text.includes(message)) resolve();
        else waiting.push({ message, resolve });
      }),
  };
}
