import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { withClient } from './connect.ts';
import type { EmbeddedServer } from './server.ts';

const NAME = 'taxclaims_app';

/**
 * Lets the API log in, as a member of `taxclaims_api`: for a migrated database.
 * The password is new each time, so that it need not be kept anywhere.
 * @returns the address for the API.
 */
export async function createApiLogin({ adminUrl }: Pick<EmbeddedServer, 'adminUrl'>): Promise<string> {
  const password = randomBytes(24).toString('base64url');
  await withClient(adminUrl, async (client) => {
    const { rowCount } = await client.query('select from pg_roles where rolname = $1', [NAME]);
    if (rowCount === 0) await client.query(`create role ${NAME}`);
    await client.query(`alter role ${NAME} login password ${pg.escapeLiteral(password)}`);
    await client.query(`grant taxclaims_api to ${NAME}`);
  });
  const url = new URL(adminUrl);
  url.username = NAME;
  url.password = password;
  return url.href;
}
