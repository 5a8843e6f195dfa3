import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { withClient } from './connect.ts';
import type { EmbeddedServer } from './server.ts';

/** The logins of the service, and the one group that each is in. */
const GROUPS = {
  taxclaims_app: 'taxclaims_api',
  taxclaims_identity: 'taxclaims_identity_provider',
} as const;

/**
 * Lets the API or the identity provider log in, as a member of its group: for a migrated database.
 * The password is new each time, so that it need not be kept anywhere.
 * @returns the address for it.
 */
export async function createLogin(
  { adminUrl }: Pick<EmbeddedServer, 'adminUrl'>,
  name: keyof typeof GROUPS,
): Promise<string> {
  const password = randomBytes(24).toString('base64url');
  await withClient(adminUrl, async (client) => {
    const { rowCount } = await client.query('select from pg_roles where rolname = $1', [name]);
    if (rowCount === 0) await client.query(`create role ${name}`);
    await client.query(`alter role ${name} login password ${pg.escapeLiteral(password)}`);
    await client.query(`grant ${GROUPS[name]} to ${name}`);
  });
  const url = new URL(adminUrl);
  url.username = name;
  url.password = password;
  return url.href;
}
