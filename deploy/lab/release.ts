import { execFile } from 'node:child_process';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '..', '..');
const run = promisify(execFile);

/** The last release without the latest migration, from git, in that folder; it runs with the packages of this one. */
export async function releaseBefore(folder: string): Promise<string> {
  const commit = await commitBefore(await migrationsAt('HEAD'));
  await mkdir(folder, { recursive: true });
  const archive = join(folder, 'release.tar');
  await git('archive', '--output', archive, commit, 'src', 'db', 'public', 'package.json');
  await run('tar', ['--extract', '--file', archive, '--directory', folder]);
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** One that has the first of these migrations as they are now: before a merge they may have had other numbers. */
async function commitBefore(present: readonly string[]): Promise<string> {
  const commits = (await git('log', '--first-parent', '--format=%H', '--', 'db/migrations')).split('\n');
  for (const commit of commits.filter(Boolean)) {
    const then = await migrationsAt(commit);
    if (then.length < present.length && then.every((file, index) => file === present[index])) return commit;
  }
  throw new Error('git knows no release before the latest migration');
}

/** Each with the digest of its text. */
async function migrationsAt(commit: string): Promise<readonly string[]> {
  return (await git('ls-tree', commit, 'db/migrations/')).split('\n').filter(Boolean);
}

async function git(...args: readonly string[]): Promise<string> {
  return (await run('git', args, { cwd: ROOT, maxBuffer: 2 ** 24 })).stdout;
}
