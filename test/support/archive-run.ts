import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import type pg from 'pg';
import { connected, createTestDatabase } from './database.ts';
import type { TestDatabase } from './database.ts';
import { createScratchFolder } from './scratch.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const COMMAND = join(ROOT, 'src', 'admin', 'commands', 'audit-archive.ts');

export interface Outcome {
  /** The exit code of audit:archive, or the name of the signal that ended its process. */
  readonly code: number | string;
  readonly said: string;
}

/** A database with the audit log of half a year, and functions that run `npm run audit:archive` on it. */
export interface ArchiveRun {
  /**
   * The four months with audit records, as YYYY-MM. The audit log’s partition audit_log.earlier holds the first two
   * months.
   */
  readonly months: readonly [string, string, string, string];
  /** The rows of the table audit.archives, as text, after audit:archive has archived the first three months. */
  readonly lines: readonly [string, string, string];
  readonly database: TestDatabase;
  readonly admin: pg.Client;
  readonly folder: string;
  run(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Outcome>;
  archive(before: string, ...more: string[]): Promise<Outcome>;
  /** Runs audit:archive in a process that first imports the given module, to which the variables `env` are passed. */
  archiveWith(
    module: string,
    env: Readonly<Record<string, string>>,
    before: string,
    ...more: string[]
  ): Promise<Outcome>;
  /** Starts a process of audit:archive and returns before the process ends. */
  begin(before: string, ...more: string[]): { readonly process: ChildProcess; readonly outcome: Promise<Outcome> };
  /** Runs `audit:archive --verify` on all archive files of the folder. */
  verify(): Promise<Outcome>;
  files(): Promise<string[]>;
  records(where?: string): Promise<number>;
  /**
   * The rows of the table audit.archives as text, each with number, month, number of records, file, and who removed the
   * month.
   */
  listed(): Promise<string[]>;
  /** Adds an audit record of the given time, which says that a request was refused. */
  refuse(at: string, actor?: string): Promise<void>;
  close(): Promise<void>;
}

/** The number of audit records that a test database of audit:archive has in each of its four months. */
export const COUNTS = [528, 696, 744, 532] as const;

export async function openArchiveRun(): Promise<ArchiveRun> {
  const folder = await createScratchFolder();
  const database = await createTestDatabase();
  const admin = await connected(database.adminUrl);
  const { rows } = await admin.query<{ month: string }>(
    `select to_char(date_trunc('month', now() at time zone 'UTC') - make_interval(months => n), 'YYYY-MM') as month
     from generate_series(6, 3, -1) as n`,
  );
  const months = rows.map(({ month }) => month) as unknown as ArchiveRun['months'];
  const [first, second, third] = months;
  await admin.query(
    `set role taxclaims_housekeeper;
    do $$ begin
      alter table audit_log.months detach partition audit_log.earlier;
      alter table audit_log.months attach partition audit_log.earlier for values from (minvalue) to ('${third}-01 00:00:00+00');
      perform audit_log.make_months(null);
      perform audit_log.close_month('audit_log.earlier');
    end $$;
    reset role;
    insert into public.audit_logs (action, resource_type, success, actor, created_at)
    select 'GET /x', 'sites', false, E'line\\nbreak ' || n, (m.month || '-01 00:00:00+00')::timestamptz + n * interval '30 minutes'
    from unnest('{${months.join()}}'::text[], '{${COUNTS.join()}}'::integer[]) as m (month, records)
    cross join lateral generate_series(1, m.records) as n`,
  );
  const env = { ...process.env, DATABASE_ADMIN_URL: database.adminUrl };
  const started = async (args: readonly string[], more: Readonly<Record<string, string>> = {}): Promise<Outcome> => {
    try {
      const { stdout } = await promisify(execFile)(process.execPath, args, { env: { ...env, ...more } });
      return { code: 0, said: stdout };
    } catch (error) {
      const { code, signal, stdout, stderr } = error as {
        code: number;
        signal: string | null;
        stdout: string;
        stderr: string;
      };
      return { code: signal ?? code, said: `${stdout}${stderr}` };
    }
  };
  const options = (before: string, more: readonly string[]): string[] => [
    ...['--before', before, '--to', folder, '--keep', '1'],
    ...more,
  ];
  const files = async (): Promise<string[]> => (await readdir(folder)).sort();
  return {
    ...{ months, database, admin, folder, files },
    lines: [
      `1 ${first} 528 audit-${first}.0001.ndjson.gz`,
      `2 ${second} 696 audit-${second}.0002.ndjson.gz`,
      `3 ${third} 744 audit-${third}.0003.ndjson.gz`,
    ],
    run: (args, more) => started([COMMAND, ...args], more),
    archive: (before, ...more) => started([COMMAND, ...options(before, more)]),
    archiveWith: (module, said, before, ...more) =>
      started(['--import', join(import.meta.dirname, module), COMMAND, ...options(before, more)], said),
    begin(before, ...more) {
      const child = spawn(process.execPath, [COMMAND, ...options(before, more)], {
        env,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let said = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
      const outcome = once(child, 'close').then(([code, signal]: unknown[]) => ({
        code: (signal ?? code) as number | string,
        said,
      }));
      return { process: child, outcome };
    },
    verify: async () => started([COMMAND, '--verify', ...(await files()).map((file) => join(folder, file))]),
    async records(where = 'true') {
      const { rows } = await admin.query<{ records: number }>(
        `select count(*)::integer as records from public.audit_logs where ${where}`,
      );
      return rows[0]?.records ?? NaN;
    },
    async listed() {
      const { rows } = await admin.query<{ line: string }>(
        `select concat_ws(' ', number, to_char(month, 'YYYY-MM'), records, file, removed_by) as line
         from audit.archives order by number`,
      );
      return rows.map(({ line }) => line);
    },
    async refuse(at, actor = 'late') {
      await admin.query(
        `insert into public.audit_logs (action, resource_type, success, actor, created_at)
         values ('GET /x', 'sites', false, $1, $2)`,
        [actor, at],
      );
    },
    async close() {
      await admin.end();
      await database.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** Compresses a text as audit:archive does, with a gzip header that is the same on every machine. */
export function zipped(text: string): Buffer {
  const bytes = gzipSync(text);
  Buffer.from('1f8b08000000000000ff', 'hex').copy(bytes);
  return bytes;
}
