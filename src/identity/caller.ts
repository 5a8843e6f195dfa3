export const ROLES = ['ADMIN', 'ACCOUNT_MANAGER', 'TAX_SPECIALIST', 'CLIENT'] as const;
export type Role = (typeof ROLES)[number];

function listRolesAtLeast(least: Role): readonly Role[] {
  return ROLES.slice(0, ROLES.indexOf(least) + 1);
}

export const MANAGER_ROLES = listRolesAtLeast('ACCOUNT_MANAGER');
export const SPECIALIST_ROLES = listRolesAtLeast('TAX_SPECIALIST');

/** The audit log's actor for requests without a token; the service refuses a token with this subject. */
export const ANONYMOUS_NAME = 'anonymous';

export interface Caller {
  /** The user's identifier at the provider, from the token claim `sub`: printable ASCII; a UUID is in lower case. */
  readonly subject: string;
  /** The id of a caller without a row in users: the subject if it is a UUID, otherwise a UUID made from the subject. */
  readonly userId: string;
  readonly role: Role;
  /**
   * The ids of the caller's clients: sorted lower-case UUIDs without duplicates. An empty list means all clients for an
   * ADMIN and no client for other roles.
   */
  readonly clientAccess: readonly string[];
  /** md5 of `ROLE:id,id,…`, which the database compares with the digest of the user's stored rights. */
  readonly accessDigest: string;
  readonly issuedAt: number;
  readonly email: string | undefined;
  readonly name: string | undefined;
}
