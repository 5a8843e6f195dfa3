import { mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { BENCH_DIR, filledDatabase, FULL_SIZE, populationOf } from '../database.ts';
import type { BenchServer } from '../database.ts';
import { install, output } from './commands.ts';

/** An earlier release of this service, with its own code and npm packages. */
export interface Release {
  readonly folder: string;
  /**
   * The address, for a superuser, of the earlier release’s database. That database has the same rows as the database of
   * this checkout, but the functions and policies of the earlier release.
   */
  readonly adminUrl: string;
}

const HERE = import.meta.dirname;

/** Fills a database for a git revision, whose code and npm packages are below `.data/bench/releases`. */
export async function openRelease(server: BenchServer, revision: string, claims = FULL_SIZE): Promise<Release> {
  const { commit, folder } = await checkOutRelease(revision);
  const adminUrl = await filledDatabase(server, {
    name: `taxclaims_bench_at_${commit}${claims === FULL_SIZE ? '' : `_${claims}`}`,
    population: await populationOf(join(folder, 'bench'), claims),
    migrate: async (url) => {
      await output('npm', ['run', 'db:migrate'], folder, { DATABASE_ADMIN_URL: url });
    },
  });
  return { folder, adminUrl };
}

/** Checks out a git revision once, with its npm packages. */
export async function checkOutRelease(revision: string): Promise<{ readonly commit: string; readonly folder: string }> {
  const commit = (await output('git', ['rev-parse', '--verify', '--short=12', `${revision}^{commit}`], HERE)).trim();
  const folder = join(BENCH_DIR, 'releases', commit);
  if (!(await exists(folder))) await checkOut(commit, folder);
  await install(folder);
  return { commit, folder };
}

/** The git revision is extracted with `git archive`, because git would keep listing a worktree whose folder is gone. */
async function checkOut(commit: string, folder: string): Promise<void> {
  await mkdir(join(BENCH_DIR, 'releases'), { recursive: true });
  const scratch = await mkdtemp(`${folder}-`);
  const archive = `${scratch}.tar`;
  const top = (await output('git', ['rev-parse', '--show-toplevel'], HERE)).trim();
  await output('git', ['archive', '--output', archive, commit], top);
  await output('tar', ['--extract', '--file', archive, '--directory', scratch], HERE);
  await rm(archive);
  await rename(scratch, folder);
}

async function exists(folder: string): Promise<boolean> {
  return stat(folder).then(
    () => true,
    () => false,
  );
}
