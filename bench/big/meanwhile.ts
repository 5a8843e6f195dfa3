import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/**
 * Starts a separate process that repeats one small request while the benchmark sends large requests. A busy benchmark
 * process thus does not delay the small request.
 */
export function callMeanwhile(url: string, token: string) {
  const child = fork(join(import.meta.dirname, 'other-caller.ts'), [url, token]);
  const ended = once(child, 'exit').then(() => {
    throw new Error('the other caller was not answered with 200');
  });
  ended.catch(() => undefined);
  return {
    /**
     * Returns how many milliseconds each repeated small request has taken since this function was called last.
     * @throws Error if a request was not answered with 200
     */
    async waits(): Promise<readonly number[]> {
      if (!child.connected) return ended;
      child.send('');
      const [waits] = (await Promise.race([once(child, 'message'), ended])) as [readonly number[]];
      return waits;
    },
    stop(): void {
      if (child.connected) child.disconnect();
    },
  };
}
