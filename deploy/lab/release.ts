import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const RELEASE = ['src', 'db', 'public', 'package.json', 'package-lock.json'];
const ROOT = join(import.meta.dirname, '..', '..');
const run = promisify(execFile);

/**
 * Unpacks the release at the git revision `from` into a folder, and installs its npm packages. If `from` is undefined,
 * this is the last commit without the latest migration.
 */
export async function releaseBefore(folder: string, from?: string): Promise<string> {
  const commit = from === undefined ? await commitBefore(ROOT) : await commitAt(ROOT, from);
  await mkdir(folder, { recursive: true });
  const archive = join(folder, 'release.tar');
  await git(ROOT, 'archive', '--output', archive, commit, ...RELEASE);
  await run('tar', ['--extract', '--file', archive, '--directory', folder]);
  const [own, present] = await Promise.all(
    [folder, ROOT].map((root) => readFile(join(root, 'package-lock.json'), 'utf8')),
  );
  if (own === present) await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  else await run('npm', ['ci', '--omit=dev', '--ignore-scripts', '--prefer-offline'], { cwd: folder });
  return folder;
}

/**
 * Returns the last commit of the main branch before the merge that brought the latest migration. The commit’s
 * migrations must have the same numbers as today, because a merge sometimes changes them.
 * @throws Error if no such commit exists
 */
export async function commitBefore(root: string): Promise<string> {
  const present = await migrationsAt(root, 'HEAD');
  // `git log` lists here only the commits that changed the migrations. All commits between two of them have the same
  // migrations.
  const log = await git(root, 'log', '--first-parent', '--format=%H', '--', 'db/migrations');
  const [latest, ...earlier] = log.split('\n').filter(Boolean);
  let newer = latest;
  for (const commit of earlier) {
    if (isBefore(await migrationsAt(root, commit), present)) return commitAt(root, `${String(newer)}^1`);
    newer = commit;
  }
  throw new Error('git knows no release before the latest migration');
}

/**
 * @throws Error if git does not know the revision, or if a database of this revision cannot be upgraded to the present
 * release
 */
export async function commitAt(root: string, revision: string): Promise<string> {
  const commit = (await git(root, 'rev-parse', '--verify', '--end-of-options', `${revision}^{commit}`)).trim();
  const [then, present] = [await migrationsAt(root, commit), await migrationsAt(root, 'HEAD')];
  if (isBefore(then, present) || then.join() === present.join()) return commit;
  throw new Error(`${revision} has migrations that this release has not, or has otherwise`);
}

/** True if the newer release has all migrations of the older release, in the same order, and more after them. */
function isBefore(then: readonly string[], present: readonly string[]): boolean {
  return then.length < present.length && then.every((file, index) => file === present[index]);
}

async function migrationsAt(root: string, commit: string): Promise<readonly string[]> {
  return (await git(root, 'ls-tree', commit, 'db/migrations/')).split('\n').filter(Boolean);
}

async function git(root: string, ...args: readonly string[]): Promise<string> {
  return (await run('git', args, { cwd: root, maxBuffer: 2 ** 24 })).stdout;
}
