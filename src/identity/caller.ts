/** In the order of their rights: each may do whatever those after it may. */
export const ROLES = ['ADMIN', 'ACCOUNT_MANAGER', 'TAX_SPECIALIST', 'CLIENT'] as const;
export type Role = (typeof ROLES)[number];

/** That role and those above it, who have all of its rights. */
export function atLeast(least: Role): readonly Role[] {
  return ROLES.slice(0, ROLES.indexOf(least) + 1);
}

/** Who asks without a token, where a subject would stand; no subject is called so. */
export const ANONYMOUS = 'anonymous';

/** Who asks: what a verified token says, and nothing else. */
export interface Caller {
  /** The provider's identifier of the user, as in `sub`: printable ASCII, a UUID in lower case. */
  readonly subject: string;
  /** The user's id while none is stored: the subject itself if it is a UUID, else derived from it. */
  readonly userId: string;
  readonly role: Role;
  /** Lower-case UUIDs, sorted, each once. Empty means everything for an ADMIN and nothing for the others. */
  readonly clientAccess: readonly string[];
  /** md5 of `ROLE:id,id,…`: lets the database see in one comparison whether the stored rights differ. */
  readonly accessDigest: string;
  /** Seconds since the epoch, as in `iat`. */
  readonly issuedAt: number;
  readonly email: string | undefined;
  readonly name: string | undefined;
}
