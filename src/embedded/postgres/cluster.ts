import { randomBytes } from 'node:crypto';
import { chown, mkdir, mkdtemp, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { dataDirError } from '../data-dir.ts';
import type { Account } from './account.ts';
import type { Binaries } from './binaries.ts';
import { run, type RunOptions } from './command.ts';

/** A cluster on disk: either whole or not there. */
export interface Cluster {
  /** Postgres's own data directory. */
  readonly data: string;
  /** Where the port of the last start is remembered. */
  readonly portFile: string;
  readonly logFile: string;
  readonly passwordFile: string;
  readonly password: string;
}

/** The data directory of the cluster in a folder, whether it exists or not. */
export function dataDirectory(folder: string): string {
  return join(folder, 'data');
}

/**
 * Reads the cluster in a folder, or makes it where there is none.
 * @throws Error in one line that names DATA_DIR, for what goes wrong here goes wrong with the folder.
 */
export async function openCluster(
  folder: string,
  binaries: Binaries,
  account: Account,
  ending: RunOptions['ending'],
): Promise<Cluster> {
  try {
    const found = await readCluster(folder);
    if (found === undefined) return await createCluster(folder, binaries, account, ending);
    await checkVersion(found, binaries);
    return found;
  } catch (error) {
    ending?.throwIfAborted();
    throw dataDirError(dirname(folder), error);
  }
}

async function readCluster(folder: string): Promise<Cluster | undefined> {
  if ((await stat(folder).catch(() => undefined)) === undefined) return undefined;
  return clusterIn(folder, await readFile(join(folder, 'password'), 'utf8'));
}

/** @throws Error where the cluster is of another major version than the programs, with what to do. */
async function checkVersion({ data }: Cluster, { postgres }: Binaries): Promise<void> {
  const [ours = ''] = /\d+/.exec((await run([postgres, '--version'])).replace(/^.*\) /, '')) ?? [];
  const its = (await readFile(join(data, 'PG_VERSION'), 'utf8')).trim();
  if (its === ours) return;
  throw new Error(
    `its database is one of Postgres ${its}, and this version brings Postgres ${ours}: name another folder, or move ` +
      `${dirname(data)} away, to begin anew, or take the data over with pg_dump of a Postgres ${its}`,
  );
}

function clusterIn(folder: string, password: string): Cluster {
  return {
    data: dataDirectory(folder),
    portFile: join(folder, 'port'),
    logFile: join(folder, 'server.log'),
    passwordFile: join(folder, 'password'),
    password,
  };
}

/** Makes a cluster elsewhere and moves it into place, so that one cut short is never taken for a whole one. */
async function createCluster(
  folder: string,
  binaries: Binaries,
  account: Account,
  ending: RunOptions['ending'],
): Promise<Cluster> {
  const draftPrefix = `${folder}.draft-`;
  await removeDrafts(draftPrefix);
  const draft = await mkdtemp(draftPrefix);
  try {
    const password = await fillDraft(draft, binaries, account, ending);
    await rename(draft, folder);
    return clusterIn(folder, password);
  } catch (error) {
    await rm(draft, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
    throw error;
  }
}

async function fillDraft(
  draft: string,
  binaries: Binaries,
  account: Account,
  ending: RunOptions['ending'],
): Promise<string> {
  const passwordFile = join(draft, 'password');
  const password = randomBytes(24).toString('base64url');
  await writeFile(passwordFile, password, { mode: 0o600, flush: true });
  const data = dataDirectory(draft);
  await mkdir(data, { mode: 0o700 });
  await chown(data, account.uid, -1);
  const command = [
    binaries.initdb,
    `--pgdata=${data}`,
    '--username=postgres',
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    // The same order of text on every machine, and letters beyond ASCII still have a case.
    '--no-locale',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
  ];
  await run(command, { prefix: account.prefix, ending });
  return password;
}

async function removeDrafts(prefix: string): Promise<void> {
  const parent = dirname(prefix);
  const drafts = (await readdir(parent)).filter((name) => name.startsWith(basename(prefix)));
  await Promise.all(drafts.map((name) => rm(join(parent, name), { recursive: true, maxRetries: 3 })));
}
