import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type pg from 'pg';
import { pino } from 'pino';
import { archiveAuditLog } from '../../../src/admin/archive/archive.ts';
import { verifyArchive } from '../../../src/admin/archive/file.ts';
import { DeployHeldUp } from '../../../src/admin/deploy/migration-error.ts';
import { COUNTS, openArchiveRun } from '../../support/archive-run.ts';
import type { ArchiveRun } from '../../support/archive-run.ts';
import { connected } from '../../support/database.ts';

/**
 * The time limit in milliseconds of a test that starts some forty processes. The limit only stops a test that hangs.
 */
const LONGEST_MS = 300_000;

/*
 * These tests run `npm run audit:archive` while other database sessions write to the audit log, and kill the command at
 * every step.
 */

const RECORDS = COUNTS.reduce((sum, one) => sum + one, 0);
const ARCHIVED = RECORDS - COUNTS[3];

let run: ArchiveRun;
let other: pg.Client;
let fourth = '';

beforeEach(async () => {
  run = await openArchiveRun();
  fourth = run.months[3];
  other = await connected(run.database.adminUrl);
});
afterEach(async () => {
  await other.end();
  await run.close();
});

/** Waits until the running audit:archive needs a database lock that another session holds. */
async function untilItWaits(): Promise<void> {
  const waiting = `select from pg_stat_activity
    where wait_event_type = 'Lock' and datname = current_database() and application_name = 'taxclaims-archive'`;
  while ((await run.admin.query(waiting)).rowCount === 0);
}

async function refuseMeanwhile(at: string): Promise<void> {
  await other.query('begin');
  await other.query(
    `insert into public.audit_logs (action, resource_type, success, actor, created_at) values ('x', 'x', false, 'between', $1)`,
    [at],
  );
}

const isThere = (): Promise<number> => run.records(`actor = 'between'`);

test.each([
  { ofMonth: 'of its own month', at: () => `${run.months[2]}-03` },
  { ofMonth: 'of an earlier month', at: () => '2000-01-03' },
])(
  'if a partition gets a record $ofMonth after its archive file was written, audit:archive keeps the partition',
  async ({ at }) => {
    await refuseMeanwhile(at());
    const { outcome } = run.begin(fourth, '--remove');
    await untilItWaits();
    await other.query('commit');
    expect(await outcome).toMatchObject({
      code: 1,
      said: expect.stringContaining('has other records than its archive files: run the command again'),
    });
    expect(await isThere()).toBe(1);
    expect(await run.archive(fourth, '--remove')).toMatchObject({ code: 0 });
    expect(await isThere()).toBe(0);
    expect(await run.records()).toBe(COUNTS[3]);
    expect(await run.verify()).toMatchObject({ code: 0 });
  },
);

test('audit:archive gives up if another transaction locks a month of the audit log for too long, and succeeds when it is run again', async () => {
  await refuseMeanwhile(`${run.months[2]}-03`);
  const log = pino({ level: 'silent' });
  const asked = {
    adminUrl: run.database.adminUrl,
    folder: run.folder,
    retentionMonths: 60,
    keep: 1,
    log,
    maxWaitMs: 1,
  };
  await expect(archiveAuditLog({ ...asked, before: fourth, remove: true })).rejects.toThrow(DeployHeldUp);
  expect(await run.records()).toBe(COUNTS[2] + COUNTS[3]);
  await other.query('rollback');
  expect(await run.archive(fourth, '--remove')).toMatchObject({ code: 0 });
  expect(await run.records()).toBe(COUNTS[3]);
});

test('if audit:archive is started twice at the same time, the second run waits for the first and then finds nothing to do', async () => {
  const outcomes = await Promise.all([run.archive(fourth, '--remove'), run.archive(fourth, '--remove')]);
  expect(outcomes).toMatchObject([{ code: 0 }, { code: 0 }]);
  expect((await run.listed()).map((line) => line.split(' ').slice(0, 4).join(' '))).toEqual(run.lines);
  expect(await run.records()).toBe(RECORDS - ARCHIVED);
});

test('writing and reading audit records does not fail while audit:archive removes old months of the audit log and new months are created', async () => {
  const api = await connected(run.database.apiUrl);
  let isOver = false;
  const repeating = async (work: (turn: number) => Promise<unknown>): Promise<number> => {
    let turns = 0;
    while (!isOver) await work(turns++);
    return turns;
  };
  // The number of audit records that the test first inserts with an old time. Real records have an old time if they
  // waited on disk during an outage.
  const LATE = 3;
  const ageOf = (turn: number): number => (turn < LATE ? 200 * 86_400_000 : 0);
  const writing = repeating((turn) =>
    api.query('select app.record_refusals($1)', [
      JSON.stringify([{ actor: 'beside', action: 'x', resource_type: 'x', age_ms: ageOf(turn) }]),
    ]),
  );
  const listing = repeating(() => run.records(`created_at > now() - interval '1 year'`));
  const making = repeating(async () => {
    await other.query(
      `do $$
      declare
        last timestamp := date_trunc('month', now() at time zone 'UTC') + interval '3 months';
      begin
        execute 'drop table if exists audit_log.month_' || to_char(last, 'YYYY_MM');
        alter table audit_log.months detach partition audit_log.later;
        execute format('alter table audit_log.months attach partition audit_log.later for values from (%L) to (maxvalue)',
          last at time zone 'UTC');
      end $$`,
    );
    await other.query('select app.tend_audit_log()');
  });
  const all = Promise.all([writing, listing, making]);
  try {
    expect(await run.archive(fourth)).toMatchObject({ code: 0 });
    expect(await run.archive(fourth, '--remove')).toMatchObject({ code: 0 });
  } finally {
    isOver = true;
    await all.finally(() => api.end());
  }
  const [written, ...others] = await all;
  expect(Math.min(written - LATE, ...others)).toBeGreaterThan(0);
  expect(await run.records(`actor = 'beside'`)).toBe(written - LATE);
  expect(await run.records(`created_at < '${fourth}-01 00:00:00+00'`)).toBe(0);
  expect(await run.verify()).toMatchObject({ code: 0 });
  await other.query('select app.tend_audit_log()');
  const { rows } = await run.admin.query(`select object, detail from audit.findings where finding like 'audit_month%'`);
  expect(rows).toEqual([]);
});

test(
  'audit:archive killed at any step loses no audit record, and the next runs complete the archive',
  async () => {
    const gone = async (): Promise<number> => {
      const { rows } = await run.admin.query<{ records: number }>(
        'select coalesce(sum(records), 0)::integer as records from audit.archives where removed_at is not null',
      );
      return rows[0]?.records ?? NaN;
    };
    let [diesAt, before] = [0, await run.listed()];
    for (let how: number | string = ''; how !== 0; ) {
      ({ code: how } = await run.archiveWith(
        'die-at-statement.ts',
        { DIES_AT: String(diesAt) },
        ...[fourth, '--remove'],
      ));
      expect([0, 'SIGKILL']).toContain(how);
      const listed = await run.listed();
      // Every month in the table audit.archives must have a valid archive file. Every audit record that was removed
      // from the database must be in such a file.
      for (const line of listed) await verifyArchive(join(run.folder, line.split(' ')[3] ?? ''));
      expect((await run.records()) + (await gone())).toBe(RECORDS);
      // The next run of audit:archive does not repeat finished months, so the test counts that run’s steps from the
      // beginning.
      diesAt = String(listed) === String(before) ? diesAt + 1 : 1;
      before = listed;
    }
    expect(await gone()).toBe(ARCHIVED);
    expect(before.map((line) => line.split(' ').slice(0, 4).join(' '))).toEqual(run.lines);
    expect(await run.files()).toEqual(run.lines.map((line) => line.split(' ').at(-1)));
    expect(await run.verify()).toMatchObject({ code: 0 });
  },
  LONGEST_MS,
);
