import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify, stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { VERSION } from '../../src/version.ts';
import { folderForSuite } from '../support/suite.ts';

/* These tests check the output of `npm start` at a terminal, which the program script(1) simulates. */

const ROOT = join(import.meta.dirname, '..', '..');
const folder = await folderForSuite();
const main = `exec ${process.execPath} ${join(ROOT, 'src', 'main.ts')}`;
const child = spawn('script', ['--quiet', '--return', '--command', main, '/dev/null'], {
  cwd: folder,
  env: { PATH: process.env['PATH'], TERM: 'dumb', PORT: '0', IDENTITY_PORT: '0' },
  stdio: ['pipe', 'pipe', 'inherit'],
});
const ended = once(child, 'close');
let out = '';
child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text.replaceAll('\r\n', '\n')));

/** Waits until the terminal shows text that matches the pattern; rejects if the service ends before. */
async function shown(pattern: RegExp): Promise<RegExpExecArray> {
  for (;;) {
    const match = pattern.exec(out);
    if (match !== null) return match;
    const over = ended.then(() => Promise.reject(new Error(`npm start ended: ${out}`)));
    await Promise.race([once(child.stdout, 'data'), over]);
  }
}

let steps = '';
let greeting = '';

beforeAll(async () => {
  await shown(/^ {2}curl .*\n/m);
  [steps = '', greeting = ''] = out.split(/\n(?=\ntaxclaims )/);
});

afterAll(async () => {
  child.kill('SIGKILL');
  await ended;
});

test('at a terminal a first npm start prints each step as a plain line, not as JSON', () => {
  expect(steps.split('\n').map((line) => line.replace(/^\d\d:\d\d:\d\d /, ''))).toEqual([
    expect.stringMatching(/^the identity provider serves at http:\/\/127\.0\.0\.1:\d+$/),
    expect.stringMatching(/^Postgres serves on port \d+$/),
    expect.stringMatching(/^applying \d\d migrations$/),
    'the database is migrated and its policies are applied',
    'the demonstration is loaded',
  ]);
});

test('the greeting that npm start prints at a terminal fits into 20 lines of 80 columns', () => {
  const lines = greeting.split('\n');
  expect(lines.length).toBeLessThanOrEqual(20);
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  expect(greeting).toMatch(
    new RegExp(`^\ntaxclaims ${VERSION.replaceAll('.', '\\.')}\nOpen      http:\\S+/docs\nAPI       http:`),
  );
  const people = [...greeting.matchAll(/^([A-Z_]+) +(\S+@\S+) +(\w{4}(?:-\w{4}){3})$/gm)].map(([, role]) => role);
  expect(people).toEqual(['ADMIN', 'ACCOUNT_MANAGER', 'TAX_SPECIALIST', 'CLIENT']);
  expect(greeting).toMatch(
    /\n {2}PGPASSWORD=\$\(cat \.data\/postgres\/password\) \\\n {4}psql -h 127\.0\.0\.1 -p \d+ -U postgres taxclaims\n/,
  );
});

test('the commands in the greeting of npm start list the demonstration’s clients, and the log has one line for their request', async () => {
  const [, words = ''] = /^Try:\n([^]*)$/m.exec(greeting) ?? [];
  const lines = words.replace('npm run --silent token --', `"$NODE" "$ROOT/src/demo/token.ts"`);
  const env = { PATH: process.env['PATH'], NODE: process.execPath, ROOT };
  const { stdout } = await promisify(execFile)('bash', ['-euc', lines], { cwd: folder, env });
  expect(JSON.parse(stdout)).toHaveLength(6);
  await shown(/^\d\d:\d\d:\d\d GET \/api\/clients 200 in \d+ ms\n/m);
});

test('Ctrl-C ends npm start with exit code 0', async () => {
  child.stdin.write('\x03');
  expect(await ended).toEqual([0, null]);
  expect(stripVTControlCharacters(out)).toMatch(/ shutting down: finishing the running requests\n$/);
});
