import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import pg from 'pg';
import { createTestDatabase, withAdmin } from './database.ts';
import { addressFrom, ask, kill, postmasterPid, spawnStart } from './embedded.ts';
import { dropAbandoned } from './leftovers.ts';
import { createScratchFolder, removeAbandoned } from './scratch.ts';
import { until } from './upload.ts';

const TESTS = join(import.meta.dirname, '..');

/** Creates a folder with a file, like the folder of a test process that ended without removing it. */
async function abandonedFolder(): Promise<string> {
  const script = `import { writeFile } from 'node:fs/promises';
    import { createScratchFolder } from '${join(import.meta.dirname, 'scratch.ts')}';
    const folder = await createScratchFolder();
    await writeFile(folder + '/document', 'Avis');
    console.log(folder);`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
  return stdout.trim();
}

/** Creates a folder with a running Postgres server, like the server of a test process that was killed. */
async function abandonedServer(): Promise<{ folder: string; pid: number }> {
  const child = spawnStart();
  const url = await addressFrom(child);
  const data = await ask(url, 'show data_directory');
  const pid = await postmasterPid(url);
  await kill(child);
  return { folder: dirname(dirname(data)), pid };
}

const isGone = async (path: string): Promise<boolean> =>
  stat(path).then(
    () => false,
    () => true,
  );

test('the servers and folders of a killed test run are removed soon after its end', async () => {
  const script = `import setUp from '${join(import.meta.dirname, 'global-setup.ts')}';
    await setUp();
    process.stdout.write(JSON.stringify([globalThis.testFolder.path, globalThis.testServer.adminUrl]));`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [text] = (await once(child.stdout, 'data')) as [Buffer];
  const [folder, url] = JSON.parse(text.toString()) as [string, string];
  const pid = await postmasterPid(url);
  await kill(child);
  await until(() => isGone(folder));
  expect(await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).toBe('');
});

test('the next test run stops the servers and removes the folders of a killed run, but not those of a running process', async () => {
  const { TAXCLAIMS_TEST_FOLDER: ofTheRun } = process.env;
  // The test creates the folders of the killed run without the variable TAXCLAIMS_TEST_FOLDER, so that no other process
  // removes these folders.
  delete process.env['TAXCLAIMS_TEST_FOLDER'];
  const mine = await createScratchFolder();
  const plain = await abandonedFolder();
  const { folder: served, pid } = await abandonedServer();
  await removeAbandoned();
  // Another test run on the same machine is possibly removing the folders of the killed run at the same time.
  for (const folder of [plain, served]) await until(() => isGone(folder));
  // A process that has ended keeps its id until its parent has waited for it, so the test expects an empty command line
  // instead of a missing id.
  expect(await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).toBe('');
  await expect(readdir(mine)).resolves.toEqual([]);
  await rm(mine, { recursive: true });
  process.env['TAXCLAIMS_TEST_FOLDER'] = ofTheRun;
});

test('the next test run drops the databases and logins of a killed run, but not those of a running one', async () => {
  const mine = await createTestDatabase();
  const [killed, living] = [0, 1].map(() => `taxclaims_run_${randomBytes(4).toString('hex')}`) as [string, string];
  const liveClient = new pg.Client({ connectionString: mine.adminUrl, application_name: living });
  await liveClient.connect();
  await withAdmin(mine.adminUrl, async (admin) => {
    for (const run of [killed, living]) {
      await admin.query(`create role ${run}_bi login`);
      await admin.query(`create database ${run}_0a owner ${run}_bi`);
    }
    const left = async (): Promise<string[]> => {
      const { rows } = await admin.query<{ name: string }>(
        `select datname::text as name from pg_database union select rolname::text from pg_roles order by 1`,
      );
      const known = [mine.name, ...[killed, living].flatMap((run) => [`${run}_0a`, `${run}_bi`])];
      return known.filter((one) => rows.some(({ name }) => name === one));
    };
    const ofTheLiving = [`${living}_0a`, `${living}_bi`];
    expect(await left()).toEqual([mine.name, `${killed}_0a`, `${killed}_bi`, ...ofTheLiving]);
    await dropAbandoned(mine.adminUrl);
    expect(await left()).toEqual([mine.name, ...ofTheLiving]);
    await liveClient.end();
    await dropAbandoned(mine.adminUrl);
    expect(await left()).toEqual([mine.name]);
  });
  await mine.close();
});

test('all tests create temporary folders with createScratchFolder, so that the next run can find and remove these folders', async () => {
  const files = (await readdir(TESTS, { recursive: true })).filter((name) => name.endsWith('.ts'));
  const makers = [];
  for (const file of files) {
    const text = await readFile(join(TESTS, file), 'utf8');
    if (/\b(?:mkdtemp|tmpdir)\(/.test(text)) makers.push(file);
  }
  // The folder with the screenshots of test/browser is no temporary folder, so that a person can look at the
  // screenshots later.
  expect(makers.filter((name) => !name.startsWith('browser/'))).toEqual([
    relative(TESTS, join(import.meta.dirname, 'scratch.ts')),
  ]);
});
