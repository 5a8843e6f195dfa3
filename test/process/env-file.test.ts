import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { runCommand } from '../admin/command.ts';
import { refusalOf, start } from '../support/process.ts';
import { createScratchFolder } from '../support/scratch.ts';

const UNREADABLE = /^\.env cannot be read: .*\n$/;

let folder: string;
beforeEach(async () => {
  folder = await createScratchFolder();
});
afterEach(() => rm(folder, { recursive: true }));

/** Returns the line that `npm start` prints when it refuses to start in a folder with an unsuitable file .env. */
async function refused(environment: Readonly<Record<string, string>> = {}): Promise<string> {
  const started = start(folder, environment);
  expect(await refusalOf(started)).toBe(1);
  return started.err;
}

async function token(environment: Readonly<Record<string, string>> = {}): Promise<[number, string]> {
  const { code, err } = await runCommand('demo/token.ts', ['--role', 'ADMIN'], environment, folder);
  return [code, err];
}

test('npm start and the commands read the file .env', async () => {
  await writeFile(
    join(folder, '.env'),
    '# as in production\nNODE_ENV=production\nAUTH_ISSUER="https://idp.example/"\n',
  );
  expect(await refused()).toMatch(/^DATABASE_URL must be set: .*; AUTH_AUDIENCE must be set .*\n$/);
  expect(await token()).toEqual([2, expect.stringMatching(/^AUTH_ISSUER is set: /)]);
});

test('the file .env does not change variables that the environment sets, even to an empty value', async () => {
  await writeFile(join(folder, '.env'), 'PORT=3000\nAUTH_ISSUER=https://idp.example/\n');
  expect(await refused({ PORT: 'http', AUTH_ISSUER: '' })).toMatch(/^PORT must be [^;]*\n$/);
  expect(await token({ AUTH_ISSUER: '' })).toEqual([0, '']);
});

test('npm start and the commands stop with one line if the file .env cannot be read', async () => {
  await mkdir(join(folder, '.env'));
  expect(await refused()).toMatch(UNREADABLE);
  expect(await token()).toEqual([2, expect.stringMatching(UNREADABLE)]);
});
