import { execFile } from 'node:child_process';
import { chown, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { withAdmin } from '../../test/support/database.ts';
import { findFreePort } from '../../src/demo/postgres/free-port.ts';
import { accountOfPostgres, makeFolderFor } from './account.ts';
import { runAsScript } from './as-script.ts';
import type { Part, PartOptions } from './part.ts';
import { findProgram, startProgram } from './program.ts';

export interface Postgres extends Part {
  readonly port: number;
  readonly urlOf: (database: string) => string;
}

/** A Postgres server with backups: pgBackRest archives its WAL and keeps its backups in a repository. */
export interface Pgbackrest extends Postgres {
  /** The folder in which pgBackRest keeps the backups and the archived WAL. */
  readonly repository: string;
  /** @throws Error with the output of pgBackRest if the backup fails */
  backup(type: 'full' | 'incr'): Promise<void>;
  /** Begins a backup. The returned function `kill` ends the running backup with SIGKILL. */
  beginBackup(): Promise<{ kill(): void; readonly ended: Promise<unknown> }>;
  backups(): Promise<number>;
  /** Restores the data of a moment (a timestamp with time zone) into a second Postgres, and starts it. */
  restore(moment: string): Promise<Postgres>;
}

const BINARIES = '/usr/lib/postgresql/15/bin';
const STANZA = 'taxclaims';
/** The largest output of pgBackRest that is accepted, in bytes. pgBackRest prints only a few lines. */
const MOST_BYTES = 4_000_000;

export async function startPgbackrest({ dir, port }: PartOptions): Promise<Pgbackrest> {
  const account = await accountOfPostgres();
  const [data, repository, configuration] = ['data', 'repository', 'pgbackrest.conf'].map((name) =>
    join(dir, name),
  ) as [string, string, string];
  for (const folder of [dir, repository, join(dir, 'log'), join(dir, 'lock')]) await makeFolderFor(account, folder);
  const program = await findProgram('pgbackrest', 'pgbackrest');
  const bound = port ?? (await findFreePort(0));
  await writeFile(configuration, configurationOf(dir, bound));
  if (account !== undefined) await chown(configuration, account.uid, account.gid);

  const options = { ...account, cwd: dir, maxBuffer: MOST_BYTES };
  const as = (file: string, args: readonly string[]) => promisify(execFile)(file, args, options);
  const common = [`--config=${configuration}`, `--stanza=${STANZA}`];
  const backrest = (...args: readonly string[]) =>
    as(program, [...common, ...args]).catch((error: unknown) => {
      const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
      throw new Error(`pgbackrest ${args.join(' ')}: ${stdout}${stderr}`);
    });

  await as(join(BINARIES, 'initdb'), [
    ...['--pgdata', data, '--username', 'postgres', '--auth', 'trust', '--encoding', 'UTF8'],
    '--data-checksums',
  ]);
  const archive = `${program} ${common.join(' ')} archive-push %p`;
  const source = await startPostgres(data, dir, bound, [
    ...['-c', 'archive_mode=on', '-c', `archive_command=${archive}`, '-c', 'archive_timeout=60'],
  ]);
  await backrest('stanza-create');
  const restored: Postgres[] = [];
  const backup = (type: 'full' | 'incr'): string[] => ['backup', `--type=${type}`, '--start-fast'];
  const interfaceOfSource = { ...source };
  return Object.assign(source, {
    repository,
    async backup(type: 'full' | 'incr') {
      await backrest(...backup(type));
    },
    async beginBackup() {
      const running = execFile(program, [...common, ...backup('full')], options);
      const ended = new Promise((resolve) => running.once('exit', resolve));
      return Promise.resolve({ ended, kill: () => void running.kill('SIGKILL') });
    },
    async backups() {
      const { stdout } = await backrest('info', '--output=json');
      const [stanza] = JSON.parse(stdout) as { backup: unknown[] }[];
      return stanza?.backup.length ?? 0;
    },
    async restore(moment: string) {
      const name = `restored-${restored.length + 1}`;
      const into = join(dir, name, 'data');
      await makeFolderFor(account, join(dir, name));
      await makeFolderFor(account, into);
      await backrest(
        ...['restore', `--pg1-path=${into}`, '--type=time', `--target=${moment}`, '--target-action=promote'],
      );
      // The restored Postgres must not archive its WAL, because its history differs from that of the original Postgres.
      const second = await startPostgres(into, join(dir, name), await findFreePort(0), ['-c', 'archive_mode=off']);
      restored.push(second);
      return second;
    },
    close: async () => {
      for (const one of restored.splice(0)) await one.close();
      await interfaceOfSource.close();
    },
  });
}

async function startPostgres(data: string, dir: string, port: number, settings: readonly string[]): Promise<Postgres> {
  const urlOf = (database: string): string => `postgres://postgres@127.0.0.1:${port}/${database}`;
  const program = await startProgram({
    ...{ program: 'postgres', package: 'postgresql-15', dir },
    args: ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', dir, ...settings],
    account: await accountOfPostgres(),
    // Waits until the restored Postgres has reached the chosen moment, because it answers queries even before that.
    answers: () =>
      withAdmin(urlOf('postgres'), async (admin) => {
        const { rows } = await admin.query<{ is: boolean }>('select not pg_is_in_recovery() as is');
        return rows[0]?.is === true;
      }),
    // SIGINT makes Postgres end at once, even if clients are still connected.
    signal: 'SIGINT',
  });
  return Object.assign(program, { port, urlOf });
}

function configurationOf(dir: string, port: number): string {
  return `[global]
repo1-path=${dir}/repository
repo1-retention-full=2
log-path=${dir}/log
log-level-file=off
lock-path=${dir}/lock
archive-timeout=30
compress-type=lz4

[${STANZA}]
pg1-path=${dir}/data
pg1-port=${port}
pg1-socket-path=${dir}
pg1-user=postgres
`;
}

if (import.meta.main) await runAsScript(startPgbackrest, ({ urlOf }) => urlOf('postgres'));
