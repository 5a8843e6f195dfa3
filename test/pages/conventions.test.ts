import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { readRun } from '../support/database.ts';
import { copyConventions, DENIAL } from './conventions.ts';

const folder = await copyConventions();

test('the example table, policies, endpoints and test of CONVENTIONS.md work as copied', async () => {
  const jest = join(folder, 'node_modules', 'jest', 'bin', 'jest.js');
  const env = { ...process.env, TEST_DATABASE_URL: readRun().adminUrl };
  const { stderr } = await promisify(execFile)(process.execPath, [jest, DENIAL], { cwd: folder, env });
  expect(stderr).toMatch(/^Tests: +1 passed, 1 total$/m);
});
