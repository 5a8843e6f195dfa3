import { randomBytes } from 'node:crypto';
import { chown, mkdir, mkdtemp, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Account } from './account.ts';
import type { Binaries } from './binaries.ts';
import { run } from './command.ts';

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

/** Reads the cluster in a folder, or undefined where there is none. */
export async function readCluster(folder: string): Promise<Cluster | undefined> {
  if ((await stat(folder).catch(() => undefined)) === undefined) return undefined;
  return clusterIn(folder, await readFile(join(folder, 'password'), 'utf8'));
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
export async function createCluster(folder: string, binaries: Binaries, account: Account): Promise<Cluster> {
  const draftPrefix = `${folder}.draft-`;
  await removeDrafts(draftPrefix);
  const draft = await mkdtemp(draftPrefix);
  const passwordFile = join(draft, 'password');
  const password = randomBytes(24).toString('base64url');
  await writeFile(passwordFile, password, { mode: 0o600 });
  const data = dataDirectory(draft);
  await mkdir(data, { mode: 0o700 });
  await chown(data, account.uid, -1);
  await run([
    ...account.prefix,
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
  ]);
  await rename(draft, folder);
  return clusterIn(folder, password);
}

async function removeDrafts(prefix: string): Promise<void> {
  const parent = dirname(prefix);
  const drafts = (await readdir(parent)).filter((name) => name.startsWith(basename(prefix)));
  await Promise.all(drafts.map((name) => rm(join(parent, name), { recursive: true, maxRetries: 3 })));
}
