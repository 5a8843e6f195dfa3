import { execFile } from 'node:child_process';
import { copyFile, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createScratchFolder } from '../support/scratch.ts';

/* What every command does with an argument, before it opens a connection or a file. */

const ROOT = join(import.meta.dirname, '..', '..');

const { scripts, version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
  readonly version: string;
};

/** The file of each script that is a program of ours, not of a package; `npm test` hands its options on to Jest. */
const COMMANDS = Object.entries(scripts).flatMap(([name, script]) => {
  const [, file] = /^(?:exec )?node (\S+\.ts)$/.exec(script) ?? [];
  return file === undefined || name === 'test' ? [] : [[`npm run ${name}`, join(ROOT, file)] as const];
});

let folder: string;
beforeEach(async () => {
  folder = await createScratchFolder();
});
afterEach(() => rm(folder, { recursive: true }));

interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

const run = (file: string, argument: string): Promise<Outcome> => ran(process.execPath, file, argument);

/** Run with nothing in its environment but a folder of data, in which it may leave nothing. */
function ran(program: string, ...args: string[]): Promise<Outcome> {
  return new Promise<Outcome>((resolve) => {
    const env = { PATH: process.env['PATH'], DATA_DIR: join(folder, 'data') };
    execFile(program, args, { cwd: folder, env }, (error, out, err) => {
      resolve({ code: Number(error?.code ?? 0), out, err });
    });
  });
}

test('every program of ours among the scripts is tried', () => {
  expect(COMMANDS.length).toBeGreaterThan(11);
});

test('make-secrets says so too, and makes no secret for an argument that it does not know', async () => {
  // A copy, beside whose folder lies no other.
  const compose = join(folder, 'deploy', 'compose');
  await mkdir(compose, { recursive: true });
  await copyFile(join(ROOT, 'package.json'), join(folder, 'package.json'));
  await copyFile(join(ROOT, 'deploy', 'compose', 'make-secrets'), join(compose, 'make-secrets'));
  const said = (argument: string) => ran(join(compose, 'make-secrets'), argument);
  expect(await said('--help')).toMatchObject({ code: 0, out: expect.stringContaining('usage: ') });
  expect(await said('--version')).toEqual({ code: 0, out: `taxclaims ${version}\n`, err: '' });
  expect(await said('--hlep')).toEqual({ code: 2, out: '', err: "Unknown argument '--hlep'; see --help\n" });
  expect(await readdir(compose)).toEqual(['make-secrets']);
});

test.each(COMMANDS)(
  '%s says how it is used and which release it is, refuses an option that it does not know in one line, and does nothing',
  async (name, file) => {
    const [help, release, unknown] = await Promise.all(
      ['--help', '--version', '--hlep'].map((argument) => run(file, argument)),
    );
    expect(help).toMatchObject({ code: 0, err: '' });
    expect(help?.out).toContain(`usage: ${name.replace('run start', 'start')}`);
    expect(help?.out).toContain('--version');
    expect(release).toEqual({ code: 0, out: `taxclaims ${version}\n`, err: '' });
    const code = name === 'npm run start' ? 1 : 2;
    expect(unknown).toEqual({ code, out: '', err: "Unknown option '--hlep'; see --help\n" });
    expect(await readdir(folder)).toEqual([]);
  },
);
