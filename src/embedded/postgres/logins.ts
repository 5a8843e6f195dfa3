import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { withClient } from './connect.ts';
import type { EmbeddedServer } from './server.ts';

/**
 * Lets the API log in, as a member of its group: for a migrated database. The password is new each time, so that it need
 * not be kept anywhere.
 * @returns the address for it.
 */
export async function createLogin({ adminUrl }: Pick<EmbeddedServer, 'adminUrl'>): Promise<string> {
  const password = randomBytes(24).toString('base64url');
  await withClient(adminUrl, async (client) => {
    const { rowCount } = await client.query(`select from pg_roles where rolname = 'taxclaims_app'`);
    if (rowCount === 0) await client.query('create role taxclaims_app');
    await client.query(`alter role taxclaims_app login password ${pg.escapeLiteral(password)}`);
    await client.query('grant taxclaims_api to taxclaims_app');
  });
  const url = new URL(adminUrl);
  url.username = 'taxclaims_app';
  url.password = password;
  return url.href;
}
