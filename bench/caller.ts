import type { RequestContext } from '../src/db/request-settings.ts';
import type { Role } from '../src/identity/caller.ts';

/** A request of a caller whom the database does not know, to read. */
export function readingAs(role: Role, clientAccess: readonly string[], client?: string): RequestContext {
  return {
    caller: {
      subject: 'bench',
      userId: '00000000-0000-4000-8000-000000000000',
      role,
      clientAccess,
      accessDigest: '',
      issuedAt: 0,
      email: undefined,
      name: undefined,
    },
    requestId: 'bench',
    action: 'GET /bench',
    ipAddress: '127.0.0.1',
    userAgent: 'bench',
    readOnly: true,
    ...(client === undefined ? {} : { client }),
  };
}
