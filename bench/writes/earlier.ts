import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import type { MigrateOptions } from '../../src/admin/deploy/migrate.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/**
 * Migrates a database with the code and the SQL of an earlier revision, which is extracted from git for this purpose.
 */
export async function migrateTo(revision: string, adminUrl: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'taxclaims-earlier-'));
  try {
    const archive = execFileSync('git', ['archive', revision, 'db', 'src', 'package.json'], {
      cwd: ROOT,
      maxBuffer: 2 ** 28,
    });
    execFileSync('tar', ['-x', '-C', folder], { input: archive });
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    // The path of the file migrate.ts in earlier revisions, and its path in the present revision.
    const paths = ['db/migrate.ts', 'db/deploy/migrate.ts', 'admin/deploy/migrate.ts'].map((path) =>
      join(folder, 'src', path),
    );
    const path = paths.find(existsSync) ?? '';
    const { migrate } = (await import(path)) as {
      migrate: (options: MigrateOptions) => Promise<void>;
    };
    await migrate({ adminUrl, log: pino({ level: 'silent' }) });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
