import type { Rights } from '../identity/management/client.ts';
import type { Database } from './database.ts';

/** The present rights of a user of which the provider does not know yet, and under which claim they are sent. */
export interface Claimed {
  readonly userId: string;
  readonly claim: string;
  readonly subject: string;
  readonly rights: Rights;
}

/** Why it was not delivered, and when to try again at the earliest. */
export interface Failure {
  readonly reason: string;
  readonly retryAfterMs: number;
}

/** The changes of rights that the identity provider is to be told. */
export interface IdentityChanges {
  /** From now on they are noted, whoever makes them. */
  begin(): Promise<void>;
  claim(most: number, leaseMs: number): Promise<readonly Claimed[]>;
  /** False where the claim was lost: the newest rights are sent again then. */
  settle(claimed: Claimed, failure?: Failure): Promise<boolean>;
  /** Of these nothing was sent. */
  release(claimed: readonly Claimed[], retryAfterMs: number): Promise<void>;
  /** How much waits, of all users or of some. */
  undelivered(
    users?: readonly string[],
  ): Promise<{ readonly changes: number; readonly oldestSeconds: number }>;
  /** Removes what was delivered long ago; gives how many, at most so many. */
  forget(most: number): Promise<number>;
  /** The provider is to be told the rights of that user as they are here. */
  resend(userId: string): Promise<void>;
}

const interval = (ms: number): string => `${String(Math.ceil(ms))} milliseconds`;

export function identityChangesOf(database: Pick<Database, 'callAsLogin'>): IdentityChanges {
  return {
    async begin() {
      await database.callAsLogin({ text: 'select app.begin_identity_management()', values: [] });
    },
    async claim(most, leaseMs) {
      const { rows } = await database.callAsLogin({
        text: `
select c.user_id, c.claim, c.subject, c.role, c.client_access, c.is_active
from app.claim_identity_changes($1, $2) as c`,
        values: [most, interval(leaseMs)],
      });
      return rows.map(([userId, claim, subject, ...rights]) => ({
        ...{ userId: String(userId), claim: String(claim), subject: String(subject) },
        rights: rightsIn(rights),
      }));
    },
    async settle({ userId, claim }, failure) {
      const { rows } = await database.callAsLogin({
        text: 'select app.settle_identity_change($1, $2, $3, $4)',
        values: [userId, claim, failure?.reason ?? null, interval(failure?.retryAfterMs ?? 0)],
      });
      return rows[0]?.[0] === 't';
    },
    async release(claimed, retryAfterMs) {
      await database.callAsLogin({
        text: 'select app.release_identity_changes($1, $2)',
        values: [claimed.map(({ claim }) => claim), interval(retryAfterMs)],
      });
    },
    async undelivered(users) {
      const { rows } = await database.callAsLogin({
        text: 'select u.changes, u.oldest_seconds from app.undelivered_identity_changes($1) as u',
        values: [users ?? null],
      });
      return { changes: Number(rows[0]?.[0]), oldestSeconds: Number(rows[0]?.[1]) };
    },
    async forget(most) {
      const { rows } = await database.callAsLogin({
        text: 'select app.forget_identity_changes($1)',
        values: [most],
      });
      return Number(rows[0]?.[0]);
    },
    async resend(userId) {
      await database.callAsLogin({ text: 'select app.send_identity($1)', values: [userId] });
    },
  };
}

/** Role, clients and activity, as Postgres writes them. */
export function rightsIn([role, clients, isActive]: readonly (string | null | undefined)[]): Rights {
  const listed = String(clients).slice(1, -1);
  return {
    role: String(role),
    clientAccess: listed === '' ? [] : listed.split(','),
    isActive: isActive === 't',
  };
}
