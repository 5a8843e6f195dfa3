import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { withAdmin } from '../test/support/database.ts';
import { BENCH_DIR } from './database.ts';

/**
 * Stores the raw figures of a benchmark with its date, the git revision, the processors and the versions of Node and
 * Postgres. Returns the path of the file.
 */
export async function keep(part: string, adminUrl: string, figures: unknown): Promise<string> {
  const { rows } = await withAdmin(adminUrl, (admin) =>
    admin.query<{ version: string }>(`select current_setting('server_version') as version`),
  );
  const circumstances = {
    taken: new Date().toISOString(),
    revision: execFileSync('git', ['describe', '--always', '--dirty'], { encoding: 'utf8' }).trim(),
    node: process.version,
    postgres: rows[0]?.version,
    processors: cpus().map(({ model }) => model),
  };
  const folder = join(BENCH_DIR, 'results');
  await mkdir(folder, { recursive: true });
  const file = join(folder, `${part}.json`);
  await writeFile(file, `${JSON.stringify({ ...circumstances, figures }, null, 2)}\n`);
  return file;
}
