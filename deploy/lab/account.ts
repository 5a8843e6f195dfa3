import { execFile } from 'node:child_process';
import { chown, mkdir } from 'node:fs/promises';
import { promisify } from 'node:util';

export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/**
 * The user of the operating system under whom Postgres runs: the present user, or the user `postgres` if the present
 * user is root, because Postgres refuses to run as root.
 */
export async function accountOfPostgres(): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const of = async (flag: string): Promise<number> =>
    Number((await promisify(execFile)('id', [flag, 'postgres'])).stdout);
  return { uid: await of('-u'), gid: await of('-g') };
}

export async function makeFolderFor(account: Account | undefined, path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  if (account !== undefined) await chown(path, account.uid, account.gid);
}
