import { execFile } from 'node:child_process';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import pg from 'pg';
import { createTestDatabase } from '../support/database.ts';
import type { TestDatabase } from '../support/database.ts';
import { createScratchFolder } from '../support/scratch.ts';

/* `npm run audit:archive`, in a process of its own, on a log of five months of 2020. */

const COMMAND = fileURLToPath(new URL('../../src/commands/audit-archive.ts', import.meta.url));
const RECORDS = 2_500;

let database: TestDatabase;
let admin: pg.Client;
let folder: string;

beforeEach(async () => {
  folder = await createScratchFolder();
  database = await createTestDatabase();
  admin = new pg.Client({ connectionString: database.adminUrl });
  await admin.connect();
  await admin.query(
    `set role taxclaims_housekeeper;
    do $$ begin
      alter table audit_log.months detach partition audit_log.earlier;
      alter table audit_log.months attach partition audit_log.earlier for values from (minvalue) to ('2020-03-01 00:00:00+00');
      perform audit_log.make_month(timestamp '2020-03-01' + make_interval(months => n)) from generate_series(0, 2) as n;
      perform audit_log.close_month(relid) from pg_partition_tree('audit_log.months');
    end $$;
    reset role;
    insert into public.audit_logs (action, resource_type, success, actor, created_at)
    select 'GET /x', 'sites', false, E'line\nbreak ' || n, timestamptz '2020-01-10 00:00:00+00' + n * interval '1 hour'
    from generate_series(0, ${String(RECORDS - 1)}) as n`,
  );
});
afterEach(async () => {
  await admin.end();
  await database.close();
  await rm(folder, { recursive: true });
});

interface Outcome {
  readonly code: number;
  readonly said: string;
}

async function run(...args: string[]): Promise<Outcome> {
  const env = { ...process.env, DATABASE_ADMIN_URL: database.adminUrl };
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [COMMAND, ...args], { env });
    return { code: 0, said: stdout };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, said: `${stdout}${stderr}` };
  }
}

const archive = (before: string, ...more: string[]) => run('--before', before, '--to', folder, ...more);
const files = async (): Promise<string[]> => (await readdir(folder)).sort();
const verify = async () => run('--verify', ...(await files()).map((file) => join(folder, file)));
const records = (where = 'true') =>
  admin
    .query<{ records: number }>(`select count(*)::integer as records from public.audit_logs where ${where}`)
    .then(({ rows }) => rows[0]?.records);

async function listed(): Promise<string[]> {
  const { rows } = await admin.query<{ line: string }>(
    `select concat_ws(' ', number, to_char(month, 'YYYY-MM'), records, file, removed_by) as line from audit.archives order by number`,
  );
  return rows.map(({ line }) => line);
}

const ALL = [
  '1 2020-01 528 audit-2020-01.0001.ndjson.gz',
  '2 2020-02 696 audit-2020-02.0002.ndjson.gz',
  '3 2020-03 744 audit-2020-03.0003.ndjson.gz',
];

test('each month is a file that holds its records, on the list and in the chain, and the log is as before', async () => {
  expect(await archive('2020-04')).toMatchObject({ code: 0 });
  expect(await listed()).toEqual(ALL);
  expect(await records()).toBe(RECORDS);
  expect(await verify()).toMatchObject({ code: 0 });
  const lines = gunzipSync(await readFile(join(folder, 'audit-2020-02.0002.ndjson.gz')))
    .toString()
    .split('\n');
  const { rows } = await admin.query<{ id: string; created_at: Date; actor: string }>(
    `select id, created_at, actor from public.audit_logs
     where created_at >= '2020-02-01 00:00:00+00' and created_at < '2020-03-01 00:00:00+00' order by created_at, id`,
  );
  expect(
    lines
      .slice(1, -2)
      .map((line) => JSON.parse(line.slice(65)) as { id: string; created_at: string; actor: string })
      .map(({ id, created_at: at, actor }) => ({ id, created_at: new Date(at), actor })),
  ).toEqual(rows);
});

test('a second run does nothing again, but archives a month anew to which a record came late', async () => {
  await archive('2020-04');
  await archive('2020-04');
  expect(await listed()).toEqual(ALL);
  await admin.query(
    `insert into public.audit_logs (action, resource_type, success, actor, created_at)
     values ('GET /x', 'sites', false, 'late', '2020-02-02')`,
  );
  await archive('2020-04');
  expect(await listed()).toEqual([...ALL, '4 2020-02 697 audit-2020-02.0004.ndjson.gz']);
  expect(await verify()).toMatchObject({ code: 0 });
});

test('months are removed whole once they are archived, and only these; the rest goes on being read and written', async () => {
  expect(await archive('2020-04', '--remove')).toMatchObject({ code: 0 });
  expect(await listed()).toEqual(ALL.map((line) => `${line} ${new URL(database.adminUrl).username}`));
  expect(await records()).toBe(RECORDS - 528 - 696 - 744);
  expect(await records(`created_at < '2020-04-01 00:00:00+00'`)).toBe(0);
  await admin.query(
    `insert into public.audit_logs (action, resource_type, success, actor) values ('GET /x', 'sites', false, 'now')`,
  );
  const { rows } = await admin.query(
    `select object, detail from audit.findings where finding like 'audit_month%' union all select kind, object from audit.drift`,
  );
  expect(rows).toEqual([]);
  // The part of before the months ends with February: what reaches into it stays until that is over as well.
  expect(await archive('2020-04', '--remove')).toMatchObject({ code: 0 });
});

test('a part of which a month is younger than asked for stays whole', async () => {
  expect(await archive('2020-02', '--remove')).toMatchObject({ code: 0 });
  expect(await listed()).toEqual(ALL.slice(0, 1));
  expect(await records()).toBe(RECORDS);
});

test('nothing is removed whose file is gone, is another, or was changed', async () => {
  await archive('2020-04');
  const path = join(folder, 'audit-2020-03.0003.ndjson.gz');
  const text = gunzipSync(await readFile(path)).toString();
  await writeFile(path, gzipSync(text.replace('line', 'lime')));
  const outcome = await archive('2020-04', '--remove');
  expect(outcome).toMatchObject({
    code: 1,
    said: expect.stringContaining('line 2: the record is not as it was'),
  });
  await rm(path);
  expect(await archive('2020-04', '--remove')).toMatchObject({ code: 1 });
  expect(await records(`created_at >= '2020-03-01 00:00:00+00'`)).toBe(RECORDS - 528 - 696);
});

test.each([
  [
    'a record that was changed',
    (text: string) => text.replace('"actor" : "line', '"actor" : "lime'),
    'line 2',
  ],
  ['a record that was taken out', (text: string) => text.replace(/\n.*\n/, '\n'), 'line 2'],
  [
    'a file that was cut',
    (text: string) => text.slice(0, text.lastIndexOf('\n', text.length - 2) + 1),
    'ends before its end',
  ],
  ['something behind the end', (text: string) => `${text}{}\n`, 'more behind its end'],
  ['another month in its head', (text: string) => text.replace('2020-02', '2020-05'), 'line 2'],
])('%s is told of', async (_what, spoil, reason) => {
  await archive('2020-04');
  const path = join(folder, 'audit-2020-02.0002.ndjson.gz');
  await writeFile(path, gzipSync(spoil(gunzipSync(await readFile(path)).toString())));
  expect(await verify()).toMatchObject({ code: 1, said: expect.stringContaining(reason) });
});

test('a file that is cut in its middle, or missing between two, is told of', async () => {
  await archive('2020-04');
  const path = join(folder, 'audit-2020-02.0002.ndjson.gz');
  const whole = await readFile(path);
  await writeFile(path, whole.subarray(0, whole.length / 2));
  expect(await verify()).toMatchObject({ code: 1, said: expect.stringContaining('cannot be read') });
  await rm(path);
  expect(await verify()).toMatchObject({ code: 1, said: expect.stringContaining('there is a gap') });
});

test('a run that ended between a file and the list, or in the middle of a file, is made good by the next', async () => {
  await archive('2020-02');
  await writeFile(join(folder, 'audit-2020-02.0002.ndjson.gz'), 'half of it');
  await writeFile(join(folder, 'audit-2020-03.0003.ndjson.gz.partial'), 'half of it');
  expect(await archive('2020-04')).toMatchObject({ code: 0 });
  expect(await listed()).toEqual(ALL);
  expect(await files()).toEqual(ALL.map((line) => line.split(' ').at(-1)));
  expect(await verify()).toMatchObject({ code: 0 });
});

test('what is younger than is kept, the running month or none at all is refused before anything is written', async () => {
  const thisMonth = new Date().toISOString().slice(0, 7);
  expect(await archive(thisMonth)).toMatchObject({ code: 1, said: expect.stringContaining('--keep 12') });
  expect(await archive('2090-01', '--keep', '1')).toMatchObject({ code: 1 });
  expect(await archive('2020-13')).toMatchObject({ code: 2 });
  expect(await run('--before', '2020-04')).toMatchObject({ code: 2 });
  expect(await archive('2020-04', '--keep', '0')).toMatchObject({ code: 2 });
  expect([await files(), await listed()]).toEqual([[], []]);
});

test('what was archived stays on the list, to a superuser as well', async () => {
  await archive('2020-02');
  for (const change of ['delete from audit.archives', 'truncate audit.archives'])
    await expect(admin.query(change)).rejects.toThrow('stays on record');
  await admin.query(`update audit.archives set digest = repeat('0', 64), removed_at = now()`);
  await expect(admin.query('update audit.archives set removed_at = null, removed_by = null')).rejects.toThrow(
    'stays on record',
  );
  const { rows } = await admin.query(`select from audit.archives where digest = repeat('0', 64)`);
  expect(rows).toEqual([]);
});
