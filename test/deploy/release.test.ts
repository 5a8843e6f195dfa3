import { execFileSync } from 'node:child_process';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { commitAt, commitBefore } from '../../deploy/lab/release.ts';
import { createScratchFolder } from '../support/scratch.ts';

let root: string;

beforeEach(async () => {
  root = await createScratchFolder();
  git('init', '--quiet', '--initial-branch=main');
  await mkdir(join(root, 'db', 'migrations'), { recursive: true });
});

afterEach(() => rm(root, { recursive: true }));

function git(...args: readonly string[]): string {
  const who = ['-c', 'user.name=test', '-c', 'user.email=test@example.org', '-c', 'commit.gpgsign=false'];
  return execFileSync('git', [...who, ...args], { cwd: root, encoding: 'utf8' }).trim();
}

const migration = (name: string): string => join(root, 'db', 'migrations', `${name}.sql`);

async function commit(...migrations: readonly string[]): Promise<string> {
  for (const name of migrations) await writeFile(migration(name), `select '${name.slice(5)}';\n`);
  git('add', '--all');
  git('commit', '--quiet', '--allow-empty', '--message', migrations.join() || 'no migration');
  return git('rev-parse', 'HEAD');
}

test('deploy:check takes the last commit that lacks the latest migration as the previous release', async () => {
  await commit('0001_a');
  const last = await commit();
  await commit('0002_b');
  expect(await commitBefore(root)).toBe(last);
  await commit();
  await commit();
  expect(await commitBefore(root)).toBe(last);
});

test('if several migrations were merged together, deploy:check takes a previous release that has none of them', async () => {
  const last = await commit('0001_a');
  git('switch', '--quiet', '--create', 'side');
  await commit('0002_b');
  await commit('0003_c');
  git('switch', '--quiet', 'main');
  git('merge', '--quiet', '--no-ff', '--message', 'Merge', 'side');
  expect(await commitBefore(root)).toBe(last);
});

test('deploy:check does not take a commit in which a migration still had another number as the previous release', async () => {
  await commit('0001_a');
  const last = await commit();
  await commit('0003_b');
  await rename(migration('0003_b'), migration('0002_b'));
  await commit('0004_c');
  expect(await commitBefore(root)).toBe(last);
});

test('deploy:check fails if no previous release exists, or if the revision of --from is not an earlier release', async () => {
  const first = await commit('0001_a');
  await expect(commitBefore(root)).rejects.toThrow('no release before the latest migration');
  expect(await commitAt(root, 'HEAD')).toBe(first);
  git('switch', '--quiet', '--create', 'side');
  const aside = await commit('0002_aside');
  git('switch', '--quiet', 'main');
  await commit('0002_b');
  expect(await commitAt(root, 'HEAD^')).toBe(first);
  await expect(commitAt(root, aside)).rejects.toThrow(`${aside} has migrations that this release has not`);
  await expect(commitAt(root, 'nowhere')).rejects.toThrow('nowhere');
});
