import promises from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

/*
 * A test loads this module into a process before the process’s own program. The module counts the changes of files from
 * 0, and kills the process with SIGKILL just before the change whose number is DIES_AT. A written file counts a second
 * time when half of it is written.
 */

let left = Number(process.env['DIES_AT']);

export function step(): void {
  if (left === 0) process.kill(process.pid, 'SIGKILL');
  left -= 1;
}

const { open } = promises;
for (const name of ['mkdir', 'link', 'rename', 'rm', 'unlink', 'writeFile', 'chmod'] as const) {
  const original = promises[name] as (...given: unknown[]) => Promise<unknown>;
  Object.assign(promises, {
    [name]: (...given: unknown[]) => {
      step();
      return original(...given);
    },
  });
}
Object.assign(promises, {
  open: async (...given: Parameters<typeof open>): Promise<FileHandle> => {
    step();
    const handle = await open(...given);
    const writeFile = handle.writeFile.bind(handle);
    const sync = handle.sync.bind(handle);
    return Object.assign(handle, {
      writeFile: async (content: string | Buffer) => {
        const half = Math.floor(content.length / 2);
        await writeFile(content.slice(0, half));
        step();
        await writeFile(content.slice(half));
      },
      sync: () => {
        step();
        return sync();
      },
    });
  },
});
syncBuiltinESMExports();
