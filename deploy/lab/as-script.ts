import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Part, PartOptions } from './part.ts';

/**
 * Runs one server in the foreground, for example with `node deploy/lab/redis.ts --dir D --port P`. SIGTERM or SIGINT
 * ends the server.
 */
export async function runAsScript<P extends Part>(
  start: (options: PartOptions) => Promise<P>,
  describe: (part: P) => string,
): Promise<void> {
  const { values } = parseArgs({ options: { dir: { type: 'string' }, port: { type: 'string' } } });
  if (values.dir === undefined) {
    console.error('--dir must name a folder');
    process.exitCode = 2;
    return;
  }
  const dir = resolve(values.dir);
  await mkdir(dir, { recursive: true });
  try {
    const part = await start({ dir, port: values.port === undefined ? undefined : Number(values.port) });
    console.log(describe(part));
    await Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]);
    await part.close();
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  }
  process.exit();
}
