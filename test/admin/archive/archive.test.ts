import { createHash } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { verifyArchive } from '../../../src/admin/archive/file.ts';
import { COUNTS, openArchiveRun, zipped } from '../../support/archive-run.ts';
import type { ArchiveRun } from '../../support/archive-run.ts';
import { blockOf } from '../../support/pages.ts';
import { shell } from '../../support/shell.ts';

/* These tests run `npm run audit:archive`, which archives old audit records, as a process of its own. */

const RECORDS = COUNTS.reduce((sum, one) => sum + one, 0);
const ARCHIVED = RECORDS - COUNTS[3];

let run: ArchiveRun;
/**
 * `fourth` is the first month that audit:archive does not archive in these tests. `second` and `third` are the paths of
 * the archive files of the two months before `fourth`.
 */
let [fourth, second, third] = ['', '', ''];

beforeEach(async () => {
  run = await openArchiveRun();
  fourth = run.months[3];
  [second = '', third = ''] = run.lines.slice(1).map((line) => join(run.folder, line.split(' ').at(-1) ?? ''));
});
afterEach(() => run.close());

const textOf = async (path: string): Promise<string> => gunzipSync(await readFile(path)).toString();
const removed = (): string[] => run.lines.map((line) => `${line} ${new URL(run.database.adminUrl).username}`);
const complaints = async (): Promise<unknown[]> =>
  (
    await run.admin.query<Record<string, string>>(
      `select object, detail from audit.findings where finding like 'audit_month%' union all select kind, object from audit.drift`,
    )
  ).rows;

test('audit:archive writes each month’s records with all columns to a file and its digest to audit.archives, and keeps the audit log', async () => {
  expect(await run.archive(fourth)).toMatchObject({ code: 0 });
  expect(await run.listed()).toEqual(run.lines);
  expect(await run.records()).toBe(RECORDS);
  expect(await run.verify()).toMatchObject({ code: 0 });
  const text = await textOf(second);
  const lines = text.split('\n').slice(0, -2);
  const { rows: archives } = await run.admin.query(
    'select records::integer, digest from audit.archives where number = 2',
  );
  const digest = createHash('sha256')
    .update(`${lines.join('\n')}\n`)
    .digest('hex');
  expect(archives).toEqual([{ records: COUNTS[1], digest }]);
  expect(text.split('\n').slice(-2)).toEqual([JSON.stringify(archives[0]), '']);
  const records = lines.slice(1).map((line) => JSON.parse(line) as { id: string; created_at: string; actor: string });
  const { rows, fields } = await run.admin.query<{ id: string; created_at: Date; actor: string }>(
    `select * from public.audit_logs
     where created_at >= '${run.months[1]}-01 00:00:00+00' and created_at < '${run.months[2]}-01 00:00:00+00'
     order by created_at, id`,
  );
  expect(records.map(({ id, created_at: at, actor }) => ({ id, created_at: new Date(at), actor }))).toEqual(
    rows.map(({ id, created_at: at, actor }) => ({ id, created_at: at, actor })),
  );
  expect(Object.keys(records[0] ?? {}).toSorted()).toEqual(fields.map(({ name }) => name).toSorted());
});

test('audit:archive without --before archives exactly the months of the audit log that are older than AUDIT_RETENTION_MONTHS', async () => {
  const args = ['--to', run.folder];
  expect(await run.run(args, { AUDIT_RETENTION_MONTHS: '3' })).toMatchObject({ code: 0 });
  expect(await run.listed()).toEqual(run.lines);
  expect(await run.run(args, { AUDIT_RETENTION_MONTHS: '0' })).toMatchObject({
    code: 2,
    said: expect.stringContaining('AUDIT_RETENTION_MONTHS must be'),
  });
  const over = async (months: number): Promise<number> => {
    const asked = `select app.audit_log_over(${String(months)}) as seconds`;
    return Number((await run.admin.query<{ seconds: number }>(asked)).rows[0]?.seconds);
  };
  expect([(await over(3)) > 0, await over(6), await over(1_200)]).toEqual([true, 0, 0]);
});

test('the commands that db/README.md shows archive months of the audit log, remove their records and verify the archive files', async () => {
  const replaced = { '2026-01': fourth, '/srv/audit': run.folder };
  const env = { DATABASE_ADMIN_URL: run.database.adminUrl, AUDIT_RETENTION_MONTHS: '3' };
  await shell(blockOf('db/README.md', 'npm run audit:archive', replaced), env);
  expect(await run.listed()).toEqual(removed());
});

test('a second run of audit:archive writes a month’s file again only if the month has got another audit record since the first run', async () => {
  await run.archive(fourth);
  await run.archive(fourth);
  expect(await run.listed()).toEqual(run.lines);
  await run.refuse(`${run.months[1]}-02`);
  await run.archive(fourth);
  expect(await run.listed()).toEqual([...run.lines, `4 ${run.months[1]} 697 audit-${run.months[1]}.0004.ndjson.gz`]);
  expect(await run.verify()).toMatchObject({ code: 0 });
});

test('audit:archive --remove removes the archived months from the audit log, and leaves its other months readable and writable', async () => {
  expect(await run.archive(fourth, '--remove')).toMatchObject({ code: 0 });
  expect(await run.listed()).toEqual(removed());
  expect(await run.records()).toBe(RECORDS - ARCHIVED);
  expect(await run.records(`created_at < '${fourth}-01 00:00:00+00'`)).toBe(0);
  await run.refuse('now');
  expect(await complaints()).toEqual([]);
  expect(await run.archive(fourth, '--remove')).toMatchObject({ code: 0 });
  expect(await run.listed()).toEqual(removed());
});

test('if a late audit record belongs to a month that audit:archive has already removed, the record is still stored, archived and removed', async () => {
  const [first, , month] = run.months;
  await run.archive(fourth, '--remove');
  await run.refuse(`${month}-02`);
  await run.refuse(`${first}-02`);
  expect(await run.records(`tableoid = 'audit_log.earlier'::regclass`)).toBe(2);
  expect(await run.archive(fourth)).toMatchObject({ code: 0 });
  const late = [`4 ${first} 1 audit-${first}.0004.ndjson.gz`, `5 ${month} 1 audit-${month}.0005.ndjson.gz`];
  expect(await run.listed()).toEqual([...removed(), ...late]);
  expect(await run.archive(fourth, '--remove')).toMatchObject({ code: 0 });
  expect(await run.records()).toBe(RECORDS - ARCHIVED);
  expect(await run.verify()).toMatchObject({ code: 0 });
  expect(await complaints()).toEqual([]);
  await expect(run.admin.query('truncate audit_log.earlier')).rejects.toThrow('append-only');
});

test('audit:archive keeps a partition of the audit log that holds records younger than --before, and prints the reason', async () => {
  expect(await run.archive(run.months[1], '--remove')).toMatchObject({
    code: 0,
    said: expect.stringContaining(
      `audit_log.earlier is not removed, because it has records up to ${run.months[2]}: use --before ${run.months[2]}`,
    ),
  });
  expect(await run.listed()).toEqual(run.lines.slice(0, 1));
  expect(await run.records()).toBe(RECORDS);
});

test('if somebody empties a month of the audit log by hand, the view audit.findings reports the loss, but not if audit:archive removed the month', async () => {
  const lost = async (): Promise<unknown[]> =>
    (
      await run.admin.query<Record<string, string>>(
        `select object, detail from audit.findings where finding = 'audit_month_lost'`,
      )
    ).rows;
  const count = async () => {
    while ((await run.admin.query<{ days: number }>('select app.count_audit_days() as days')).rows[0]?.days !== 0);
  };
  await count();
  await run.archive(fourth, '--remove');
  await run.refuse(`${run.months[1]}-02`);
  await run.archive(fourth);
  expect(await lost()).toEqual([]);
  const emptied = (month: string) =>
    run.admin.query(
      `alter table public.audit_logs disable trigger audit_logs_append_only;
       delete from public.audit_logs where date_trunc('month', created_at, 'UTC') = '${month}-01 00:00:00+00';
       alter table public.audit_logs enable always trigger audit_logs_append_only`,
    );
  await emptied(run.months[1]);
  await emptied(fourth);
  expect(await lost()).toEqual([
    { object: `audit log of ${run.months[1]}`, detail: expect.stringMatching(/^1 records/) },
    { object: `audit log of ${fourth}`, detail: expect.stringMatching(/^532 records/) },
  ]);
});

test('only the housekeeper role can remove a partition of the audit log, and only the oldest partition', async () => {
  const part = (month: string): string => `audit_log.month_${month.replace('-', '_')}`;
  await run.admin.query('set role taxclaims_housekeeper');
  for (const one of [part(fourth), 'audit_log.later'])
    await expect(run.admin.query('select audit_log.remove_part($1)', [one])).rejects.toThrow('is not the oldest');
  await run.admin.query('set role taxclaims_owner');
  await expect(run.admin.query('select audit_log.remove_part($1)', [part(run.months[2])])).rejects.toThrow(
    /permission denied/,
  );
  await run.admin.query('reset role');
  expect(await run.records()).toBe(RECORDS);
});

test('audit:archive --remove keeps a month of the audit log if the month’s archive file is missing or changed', async () => {
  await run.archive(fourth);
  await writeFile(third, zipped((await textOf(third)).replace('line', 'lime')));
  expect(await run.archive(fourth, '--remove')).toMatchObject({
    code: 1,
    said: expect.stringContaining('its records do not match the digest in its last line'),
  });
  await writeFile(third, await readFile(second));
  expect(await run.archive(fourth, '--remove')).toMatchObject({
    code: 1,
    said: expect.stringContaining('is not the file that was archived: its digest differs'),
  });
  await rm(third);
  expect(await run.archive(fourth, '--remove')).toMatchObject({
    code: 1,
    said: expect.stringContaining('ENOENT'),
  });
  expect(await run.records(`created_at >= '${run.months[2]}-01 00:00:00+00'`)).toBe(COUNTS[2] + COUNTS[3]);
});

const OTHER_RECORDS = 'its records do not match the digest in its last line';

test.each([
  ['another number of records', (text: string) => text.replace(/("records":\d+)/, '$10'), OTHER_RECORDS],
  ['another month in its head', (text: string) => text.replace(/"month":"\d{4}/, '"month":"1999'), OTHER_RECORDS],
  [
    'a cut end',
    (text: string) => text.slice(0, text.lastIndexOf('\n', text.length - 2) + 1),
    'the last line, with the digest, is missing',
  ],
  ['text after its end', (text: string) => `${text}{}\n`, 'it goes on after the line with the digest'],
  ['no head', (text: string) => text.slice(text.indexOf('\n') + 1), 'no archive of the audit log'],
])('audit:archive --verify reports an archive file with %s', async (_what, spoil, reason) => {
  await run.archive(fourth);
  await writeFile(second, zipped(spoil(await textOf(second))));
  expect(await run.verify()).toMatchObject({ code: 1, said: expect.stringContaining(`${second} cannot be verified`) });
  expect(await run.verify()).toMatchObject({ said: expect.stringContaining(reason) });
});

test('if an archive file is incomplete on the disk, audit:archive does not count its month as archived, and keeps the month’s audit records', async () => {
  expect(await run.archiveWith('cut-at-rename.ts', {}, fourth, '--remove')).toMatchObject({
    code: 1,
    said: expect.stringContaining('unexpected end of file'),
  });
  expect([await run.listed(), await run.records()]).toEqual([[], RECORDS]);
});

/**
 * An archive file in the format of an earlier release. This format has a digest of each record and of the previous
 * archive file.
 */
const OLD_FILE = `{"format":"taxclaims-audit-1","number":2,"month":"2020-01","previous":"${'ab'.repeat(32)}"}
5a335226f95bac30e847945b02a587b3f0112af836c4e12f3e1d81d79a503075 {"id" : "a1", "actor" : "Anne"}
7f085924666791a43e6f0af7d2425e62ad99163c1006538041714d30f1f5747e {"id" : "a2", "actor" : "Paul"}
{"records":2,"digest":"7f085924666791a43e6f0af7d2425e62ad99163c1006538041714d30f1f5747e"}
`;

test('audit:archive --verify accepts an archive file in an earlier release’s format, and reports a change of its head, of a record or of its end', async () => {
  const verify = async (text: string) => {
    await writeFile(second, zipped(text));
    return run.run(['--verify', second]);
  };
  const said = expect.stringContaining(
    '2020-01, 2 records, digest 7f085924666791a43e6f0af7d2425e62ad99163c1006538041714d30f1f5747e',
  );
  expect(await verify(OLD_FILE)).toMatchObject({ code: 0, said });
  for (const [text, other] of [
    ['2020-01', '2021-01'],
    ['abab', 'baba'],
    ['Anne', 'Nina'],
    ['5a33', '6a33'],
    ['"records":2', '"records":3'],
  ] as const)
    expect(await verify(OLD_FILE.replace(text, other))).toMatchObject({ code: 1 });
});

test('audit:archive --remove removes a month that an earlier release archived, but keeps the month if its archive file was changed', async () => {
  await run.archive(fourth);
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
  const previous = '0'.repeat(64);
  const head = JSON.stringify({ format: 'taxclaims-audit-1', number: 4, month: run.months[2], previous });
  let digest = sha256(`${previous} ${head}`);
  const lines = (await textOf(third)).split('\n').slice(1, -2);
  const records = lines.map((record) => `${(digest = sha256(`${digest} ${record}`))} ${record}\n`);
  const text = `${head}\n${records.join('')}${JSON.stringify({ records: lines.length, digest })}\n`;
  await run.admin.query(
    `insert into audit.archives (number, month, records, previous_digest, digest, file)
     values (4, '${run.months[2]}-01', ${lines.length}, '${previous}', '${digest}', 'old.gz')`,
  );
  const old = join(run.folder, 'old.gz');
  await writeFile(old, zipped(text.replace('line', 'lime')));
  expect(await run.archive(fourth, '--remove')).toMatchObject({
    code: 1,
    said: expect.stringContaining('old.gz cannot be verified: a record was changed'),
  });
  await writeFile(old, zipped(text));
  expect(await run.archive(fourth, '--remove')).toMatchObject({ code: 0 });
  expect(await run.records()).toBe(RECORDS - ARCHIVED);
});

test('the function verifyArchive refuses an archive file in which one byte was changed', async () => {
  await run.archive(fourth);
  const whole = await readFile(second);
  // The test changes bytes near the beginning and end of an archive file, where gzip keeps its header and checksum, and
  // some bytes of the audit records.
  const near = [...whole.keys()].filter((at) => at < 200 || at % 97 === 0 || at >= whole.length - 60);
  // Bytes 4 to 9 are the time and the operating system in the header of gzip, and hold no audit data.
  const places = near.filter((at) => at < 4 || at > 9);
  for (const at of places) {
    const changed = Buffer.from(whole);
    changed[at] = 0xff - (changed[at] ?? 0);
    await writeFile(second, changed);
    await expect(verifyArchive(second)).rejects.toThrow('cannot be verified');
  }
  await writeFile(second, whole);
  expect(await verifyArchive(second)).toMatchObject({ month: run.months[1], records: COUNTS[1] });
});

test('audit:archive writes nothing if --before is invalid, names the running month, or names a month younger than --keep', async () => {
  const thisMonth = new Date().toISOString().slice(0, 7);
  const keeping = (before: string, ...more: string[]) => run.run(['--before', before, '--to', run.folder, ...more]);
  expect(await keeping(thisMonth)).toMatchObject({ code: 1, said: expect.stringContaining('--keep 12') });
  expect(await keeping('2090-01', '--keep', '1')).toMatchObject({ code: 1 });
  expect(await keeping('2020-13')).toMatchObject({ code: 2 });
  expect(await run.run(['--before', '2020-04'])).toMatchObject({ code: 2 });
  expect(await keeping('2020-04', '--keep', '0')).toMatchObject({ code: 2 });
  expect([await run.files(), await run.listed()]).toEqual([[], []]);
});

test('not even a superuser can change a row of audit.archives, except to enter who removed its month', async () => {
  await run.archive(run.months[1]);
  await run.admin.query(`update audit.archives set digest = repeat('0', 64), removed_at = now()`);
  await expect(run.admin.query('update audit.archives set removed_at = null, removed_by = null')).rejects.toThrow(
    'cannot be changed or deleted',
  );
  const { rows } = await run.admin.query(`select from audit.archives where digest = repeat('0', 64)`);
  expect(rows).toEqual([]);
});
