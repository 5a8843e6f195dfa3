import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { superuserUrl } from '../../src/embedded/postgres/connect.ts';

/** The address of the embedded Postgres whose data lie there. */
export async function embeddedAdminUrl(data: string): Promise<string> {
  const [password, port] = await Promise.all(
    ['password', 'port'].map((name) => readFile(join(data, 'postgres', name), 'utf8')),
  );
  return superuserUrl(Number(port), password ?? '', 'taxclaims');
}
