import { createHash } from 'node:crypto';
import type { RequestContext } from '../src/db/request-settings.ts';
import type { Role } from '../src/identity/caller.ts';
import { withAdmin } from '../test/support/database.ts';

const SUBJECT = 'bench';
const USER_ID = '00000000-0000-4000-8000-000000000000';

/**
 * Returns the context of a benchmark’s read request: caller, rights and database settings. The database knows the
 * caller only if `storeCaller` was called with the same rights.
 */
export function readingAs(role: Role, clientAccess: readonly string[], client?: string): RequestContext {
  return {
    caller: {
      subject: SUBJECT,
      userId: USER_ID,
      role,
      clientAccess,
      accessDigest: createHash('md5')
        .update(`${role}:${clientAccess.join(',')}`)
        .digest('hex'),
      issuedAt: 0,
      email: undefined,
      name: undefined,
    },
    requestId: USER_ID,
    action: 'GET /bench',
    ipAddress: '127.0.0.1',
    userAgent: 'bench',
    readOnly: true,
    ...(client === undefined ? {} : { client }),
  };
}

/** Stores the user who sends a benchmark’s read request in the database, as a login would do. */
export async function storeCaller(adminUrl: string, role: Role, clientAccess: readonly string[]): Promise<void> {
  await withAdmin(adminUrl, async (admin) => {
    await admin.query('set session_replication_role = replica');
    await admin.query(
      `insert into public.users (id, email, password_hash, name, role, client_access, subject)
       values ($1, 'bench@example.org', '!', 'Bench', $2, $3, $4)
       on conflict (id) do update set role = excluded.role, client_access = excluded.client_access`,
      [USER_ID, role, clientAccess, SUBJECT],
    );
  });
}
