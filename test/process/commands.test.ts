import { execFile } from 'node:child_process';
import { copyFile, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createScratchFolder } from '../support/scratch.ts';

/*
 * These tests check that every command answers --help, --version and unknown options without a connection and without a
 * file.
 */

const ROOT = join(import.meta.dirname, '..', '..');

const { scripts, version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
  readonly version: string;
};

/** The commands of package.json that run a file of this repository, except `npm test`, whose options Jest reads. */
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

/** Runs a program with an environment of only PATH and DATA_DIR. */
function ran(program: string, ...args: string[]): Promise<Outcome> {
  return new Promise<Outcome>((resolve) => {
    const env = { PATH: process.env['PATH'], DATA_DIR: join(folder, 'data') };
    execFile(program, args, { cwd: folder, env }, (error, out, err) => {
      resolve({ code: Number(error?.code ?? 0), out, err });
    });
  });
}

test('more than eleven commands of package.json are tested with --help, --version and an unknown option', () => {
  expect(COMMANDS.length).toBeGreaterThan(11);
});

test('make-secrets answers --help and --version, and creates no secret for an unknown argument', async () => {
  // The test runs a copy of make-secrets in an empty folder, so that each new file is visible.
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
  'the command %s answers --help and --version, and refuses an unknown option in one line without creating a file',
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
