import type { Rights } from '../identity/management/client.ts';
import { adminServer, openAdminConnection } from './deploy/admin-connection.ts';
import { rightsIn } from './identity-changes.ts';

export interface UserOfProvider {
  readonly userId: string;
  readonly email: string;
  readonly subject: string;
  readonly rights: Rights;
  readonly isUndelivered: boolean;
}

/** All of them, which is more than the API's login may ask for. */
export type UsersOfProvider = Awaited<ReturnType<typeof openUsersOfProvider>>;

const PAGE = `
select u.user_id::text, u.email, u.subject, u.is_undelivered, u.role, u.client_access::text, u.is_active::text
from app.users_of_provider($1, $2) as u`;

/**
 * By a login that may become taxclaims_owner, as the one that migrates.
 * @throws MigrationError where it cannot be reached
 */
export async function openUsersOfProvider(adminUrl: string) {
  const connection = await openAdminConnection(await adminServer(adminUrl), 'taxclaims-identity-sync');
  const { client } = connection;
  return {
    async users(after: string | undefined, most: number): Promise<readonly UserOfProvider[]> {
      await client.query('begin read only; set local role taxclaims_owner');
      const { rows } = await client.query<{
        readonly user_id: string;
        readonly email: string;
        readonly subject: string;
        readonly is_undelivered: boolean;
        readonly role: string;
        readonly client_access: string;
        readonly is_active: string;
      }>(PAGE, [after ?? null, most]);
      await client.query('commit');
      return rows.map((row) => ({
        ...{ userId: row.user_id, email: row.email, subject: row.subject },
        isUndelivered: row.is_undelivered,
        rights: rightsIn([row.role, row.client_access, row.is_active === 'true' ? 't' : 'f']),
      }));
    },
    close: () => connection.close(),
  };
}
