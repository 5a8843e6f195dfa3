import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

/*
 * A test imports this module into a process before the program of that process. The module cuts the end off each file
 * before the process renames the file, as a failing disk would.
 */

const { rename, stat, truncate } = promises;
Object.assign(promises, {
  rename: async (from: string, to: string) => {
    await truncate(from, (await stat(from)).size - 100);
    await rename(from, to);
  },
});
syncBuiltinESMExports();
