import { findAdminServerUrl, openAdminConnection } from './deploy/admin-connection.ts';
import { parseRights } from '../db/identity-changes.ts';

export type ProviderUserReader = Awaited<ReturnType<typeof openProviderUserReader>>;
export type UserOfProvider = Awaited<ReturnType<ProviderUserReader['users']>>[number];

interface UserRow {
  readonly userId: string;
  readonly email: string;
  readonly subject: string;
  readonly isUndelivered: boolean;
  readonly role: string;
  readonly clients: string;
  readonly active: string;
}

const USERS_QUERY = `
select u.user_id::text as "userId", u.email, u.subject, u.is_undelivered as "isUndelivered", u.role,
    u.client_access::text as clients, left(u.is_active::text, 1) as active
from app.users_of_provider($1, $2) as u`;

/** The login in `adminUrl` must be a member of taxclaims_owner. @throws MigrationError if the server is out of reach */
export async function openProviderUserReader(adminUrl: string) {
  const connection = await openAdminConnection(await findAdminServerUrl(adminUrl), 'taxclaims-identity-sync');
  const { client } = connection;
  return {
    async users(after: string | undefined, most: number) {
      await client.query('begin read only; set local role taxclaims_owner');
      const { rows } = await client.query<UserRow>(USERS_QUERY, [after ?? null, most]);
      await client.query('commit');
      return rows.map(({ role, clients, active, ...user }) => ({
        ...user,
        rights: parseRights([role, clients, active]),
      }));
    },
    close: () => connection.close(),
  };
}
