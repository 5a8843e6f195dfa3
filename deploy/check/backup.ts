import { chmod } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { openDocumentContents } from '../../src/admin/document-contents.ts';
import { findContentDifferences } from '../../src/admin/document-check.ts';
import { createContentStore } from '../../src/documents/documents.ts';
import { readJournal } from '../../test/faults/journal.ts';
import type { Entry } from '../../test/faults/journal.ts';
import { createServiceProcess } from '../../test/faults/service-process.ts';
import { filesBelow } from '../../test/faults/stored-contents.ts';
import { withAdmin } from '../../test/support/database.ts';
import { startTestIdentity } from '../../test/support/identity.ts';
import { startPgbackrest } from '../lab/pgbackrest.ts';
import type { Pgbackrest, Postgres } from '../lab/pgbackrest.ts';
import { isAcknowledgedWrite } from './calm.ts';
import type { ApiLogin } from './database.ts';
import type { Fault, Result } from './fault.ts';
import type { UnderLoad } from './under-load.ts';
import type { World } from './world.ts';
import { accepting } from '../../test/support/world.ts';

/** No request is allowed to fail during a test with the backup program pgBackRest. */
const bounds = { failed: 0 };
/** The longest time in milliseconds until pgBackRest has archived the WAL that Postgres has written. */
const ARCHIVED_MS = 60_000;

export const faults: readonly Fault[] = [
  {
    part: 'pgbackrest',
    fault: 'an operator restores the database of a moment between two backups',
    bounds,
    run: restoreToMoment,
  },
  { part: 'pgbackrest', fault: 'the backup repository is inaccessible for a while', bounds, run: takeRepositoryAway },
  { part: 'pgbackrest', fault: 'a pgBackRest backup is killed half-way', bounds, run: killBackup },
];

/** The result of a load test during a backup, and what the checks of the restored database need. */
interface Trial {
  readonly result: Result;
  readonly login: ApiLogin;
  readonly entries: readonly Entry[];
  readonly documents: string;
}

const startedIn = (world: World): Promise<Pgbackrest> => world.once('pgbackrest', (dir) => startPgbackrest({ dir }));

async function tryOn(world: World, source: Pgbackrest, happen: UnderLoad['break']): Promise<Trial> {
  let login: ApiLogin | undefined;
  let journal = '';
  const result = await world.underLoad({
    adminUrl: (database) => Promise.resolve(source.urlOf(database)),
    environment: (given) => {
      login = given;
      return { DATABASE_URL: loginUrl(source, given) };
    },
    break: (running) => {
      ({ journal } = running.load);
      return happen(running);
    },
  });
  if (login === undefined) throw new Error('the load test did not start');
  return {
    ...{ result, login, entries: await readJournal(journal) },
    documents: join(dirname(journal), 'documents'),
  };
}

function loginUrl({ port }: Postgres, { name, password, database }: ApiLogin): string {
  return `postgres://${name}:${password}@127.0.0.1:${port}/${database}`;
}

/**
 * Makes a full and an incremental backup during a load test. Then restores the database of a moment between the two
 * backups into another Postgres.
 */
async function restoreToMoment(world: World): Promise<Result> {
  const source = await startedIn(world);
  let moment = '';
  const trial = await tryOn(world, source, async () => {
    await source.backup('full');
    await source.backup('incr');
    await delay(2_000);
    moment = await withAdmin(source.urlOf('postgres'), async (admin) =>
      textOf(
        await admin.query(
          `select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.MS+00') as text`,
        ),
      ),
    );
    await delay(2_000);
    return undefined;
  });
  await untilArchived(source);
  const restored = await source.restore(moment);
  const { lost, wrong } = await compare(trial, source, restored, moment);
  return {
    ...trial.result,
    lost: trial.result.lost + lost,
    wrong: [...(trial.result.wrong ?? []), ...wrong, ...(await served(world, restored, trial))],
  };
}

/**
 * Compares the restored database with the original. The restored database must have the rows from before the restored
 * moment, and none from after this moment.
 */
async function compare(
  trial: Trial,
  source: Postgres,
  restored: Postgres,
  moment: string,
): Promise<{ lost: number; wrong: string[] }> {
  const { database } = trial.login;
  const at = Date.parse(moment);
  const done = await withAdmin(restored.urlOf(database), async (admin) =>
    textsOf(await admin.query('select distinct request_id::text as text from public.audit_logs')),
  );
  const writes = trial.entries.filter(isAcknowledgedWrite);
  const before = writes.filter((entry) => entry.at + entry.ms < at);
  const after = writes.filter((entry) => entry.at > at);
  // Of two attempts with one Idempotency-Key only the first writes, and only its request id is in the audit log.
  const stored = new Set(writes.filter(({ requestId }) => done.has(requestId ?? '')).map(({ serial }) => serial));
  const lost = before.filter(({ serial }) => !stored.has(serial));
  const early = after.filter(({ requestId }) => done.has(requestId ?? ''));
  const words = (what: string) => (entry: Entry) => `${entry.operation} ${entry.requestId ?? ''} ${what}`;
  return {
    lost: lost.length,
    wrong: [
      ...(before.length > 0 && after.length > 0 ? [] : ['no acknowledged write before or after the restored moment']),
      ...lost.map(words('was acknowledged before the restored moment and is missing')),
      ...early.map(words('was sent after the restored moment and is stored')),
      ...(await differentAudits(source.urlOf(database), restored.urlOf(database))),
      ...(await wrongDocumentDifferences(trial, restored)),
    ],
  };
}

/**
 * Compares what the audit reports in the original and in the restored database. Policies, grants, forced row-level
 * security and functions must be equal.
 */
async function differentAudits(source: string, restored: string): Promise<string[]> {
  const [then, now] = [await auditOf(source), await auditOf(restored)];
  const differ = (what: string, one: ReadonlySet<string>, other: ReadonlySet<string>): string[] =>
    [...without(one, other), ...without(other, one)].map((line) => `${what}: ${line}`);
  return [
    ...(now.state.size > 1_000 ? [] : [`audit.state() has only ${now.state.size} rows`]),
    ...differ('state', then.state, now.state),
    ...differ('finding', then.findings, now.findings),
    ...[...now.drift].map((line) => `drift: ${line}`),
  ];
}

function auditOf(url: string) {
  return withAdmin(url, async (admin) => {
    const rowsOf = async (from: string): Promise<ReadonlySet<string>> =>
      textsOf(await admin.query(`select x::text as text from ${from} as x`));
    return {
      state: await rowsOf('audit.state()'),
      findings: await rowsOf('(select level, finding, object from audit.findings)'),
      drift: await rowsOf('audit.drift'),
    };
  });
}

/**
 * Runs `documents:check` on the restored database. The folder of documents is newer than this database, so some
 * documents differ; the function checks that the command reports exactly these.
 */
async function wrongDocumentDifferences({ login, documents }: Trial, restored: Postgres): Promise<string[]> {
  const [rows, planned] = await withAdmin(restored.urlOf(login.database), async (admin) => [
    textsOf(await admin.query('select file_path as text from public.documents')),
    textsOf(await admin.query('select file_path as text from app.content_removals')),
  ]);
  const files = new Set((await filesBelow(documents)).map(({ path }) => path));
  const expected = new Set([
    ...without(rows, files).map((path) => `no content: ${path}`),
    ...without(files, rows, planned).map((path) => `no document: ${path}`),
  ]);
  const store = await createContentStore({ store: { kind: 'folder', path: documents }, endpoint: undefined });
  const database = await openDocumentContents(loginUrl(restored, login));
  const reported = new Set<string>();
  const counts = { documents: 0, contents: 0, planned: 0, differences: 0 };
  for await (const { kind, path } of findContentDifferences({ store, database }, counts))
    reported.add(`${kind}: ${path}`);
  await database.close(true);
  return [
    ...(expected.size > 0 ? [] : ['no document or content is newer than the restored moment']),
    ...[...without(expected, reported), ...without(reported, expected)].map(
      (line) => `documents:check differs from the database and the folder: ${line}`,
    ),
  ];
}

/** Checks that the service can start on the restored database, and that its health check succeeds. */
async function served(world: World, restored: Postgres, { login, documents }: Trial): Promise<string[]> {
  const identity = await startTestIdentity();
  const folder = dirname(documents);
  const service = await createServiceProcess(folder, {
    ...{ DATABASE_URL: loginUrl(restored, login), DATA_DIR: world.folder('restored-data') },
    ...{ DOCUMENT_STORE: documents, ...accepting(identity) },
  });
  try {
    await service.start();
    const { status } = await fetch(`http://127.0.0.1:${service.port}/health`);
    return status === 200 ? [] : [`/health of the service answers ${status}`];
  } catch (error) {
    return [`the service does not start: ${String(error)}`];
  } finally {
    service.signal('SIGKILL');
    await service.ended().catch(() => undefined);
    await identity.stop();
  }
}

/**
 * Makes the repository of the backups inaccessible for a while. Meanwhile Postgres must keep its WAL and count the
 * failures, and no request is allowed to wait.
 */
async function takeRepositoryAway(world: World): Promise<Result> {
  const source = await startedIn(world);
  let failed = 0;
  const { result } = await tryOn(world, source, async () => {
    const before = await archiverOf(source);
    await chmod(source.repository, 0o000);
    await withAdmin(source.urlOf('postgres'), async (admin) => {
      await admin.query('select pg_switch_wal()');
    });
    while (failed === 0) {
      await delay(250);
      failed = (await archiverOf(source)).failed - before.failed;
    }
    return () => chmod(source.repository, 0o700);
  });
  await untilArchived(source);
  await source.backup('incr');
  return result;
}

/**
 * Kills pgBackRest while it makes a backup. The interrupted backup must not count as complete, and the next backup must
 * succeed.
 */
async function killBackup(world: World): Promise<Result> {
  const source = await startedIn(world);
  const before = await source.backups();
  const { result } = await tryOn(world, source, async () => {
    const backup = await source.beginBackup();
    // The test kills the backup as soon as Postgres reports that a backup is running.
    while (!(await isBackedUp(source))) await delay(20);
    backup.kill();
    await backup.ended;
    return undefined;
  });
  const killed = await source.backups();
  await source.backup('full');
  const wrong = [
    ...(killed === before ? [] : ['pgBackRest counts the killed backup as complete']),
    ...((await source.backups()) > 0 ? [] : ['there is no backup after the killed one']),
  ];
  return { ...result, wrong: [...(result.wrong ?? []), ...wrong] };
}

async function isBackedUp(source: Postgres): Promise<boolean> {
  return withAdmin(source.urlOf('postgres'), async (admin) => {
    const { rowCount } = await admin.query("select from pg_stat_activity where application_name like 'pgBackRest%'");
    return (rowCount ?? 0) > 0;
  });
}

async function archiverOf(source: Postgres): Promise<{ last: string; failed: number }> {
  return withAdmin(source.urlOf('postgres'), async (admin) => {
    const { rows } = await admin.query<{ last: string | null; failed: string }>(
      'select last_archived_wal as last, failed_count as failed from pg_stat_archiver',
    );
    return { last: rows[0]?.last ?? '', failed: Number(rows[0]?.failed ?? 0) };
  });
}

/** Waits until the repository of the backups has all WAL that Postgres has written up to now. */
async function untilArchived(source: Postgres): Promise<void> {
  const wanted = await withAdmin(source.urlOf('postgres'), async (admin) =>
    textOf(await admin.query('select pg_walfile_name(pg_switch_wal()) as text')),
  );
  const end = Date.now() + ARCHIVED_MS;
  while ((await archiverOf(source)).last < wanted) {
    await delay(100);
    if (Date.now() > end) throw new Error(`${wanted} is not archived after ${ARCHIVED_MS / 1000} s`);
  }
}

function without(some: ReadonlySet<string>, ...others: readonly ReadonlySet<string>[]): string[] {
  return [...some].filter((one) => !others.some((other) => other.has(one)));
}

type Texts = pg.QueryResult<{ text: string | null }>;

function textOf({ rows }: Texts): string {
  return rows[0]?.text ?? '';
}

function textsOf({ rows }: Texts): ReadonlySet<string> {
  return new Set(rows.flatMap(({ text }) => text ?? []));
}
