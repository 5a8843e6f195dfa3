import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/**
 * Starts a process that repeats one small request beside the large requests of the benchmark, so that no work of the
 * benchmark’s process delays the request.
 */
export function callMeanwhile(url: string, token: string) {
  const child = fork(join(import.meta.dirname, 'other-caller.ts'), [url, token]);
  const ended = once(child, 'exit').then(() => {
    throw new Error('the other caller was not answered with 200');
  });
  ended.catch(() => undefined);
  return {
    /**
     * Returns the milliseconds that each repeated small request took since the last call.
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
