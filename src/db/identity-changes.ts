import type { Rights } from '../identity/management/client.ts';
import type { Database } from './database.ts';

/** The present rights of a user of which the provider does not know yet, and under which claim they are sent. */
export interface Claimed {
  readonly userId: string;
  readonly claim: string;
  readonly subject: string;
  readonly rights: Rights;
}

export interface Failure {
  readonly reason: string;
  readonly retryAfterMs: number;
}

export type IdentityChanges = ReturnType<typeof identityChangesOf>;

const interval = (ms: number): string => `${String(Math.ceil(ms))} milliseconds`;

/** The changes of rights that the identity provider is to be told. */
export function identityChangesOf(database: Pick<Database, 'callAsLogin'>) {
  return {
    /** From now on they are noted, whoever makes them. */
    async begin(): Promise<void> {
      await database.callAsLogin({ text: 'select app.begin_identity_management()', values: [] });
    },
    async claim(most: number, leaseMs: number): Promise<readonly Claimed[]> {
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
    /** False where the claim was lost: the newest rights are sent again then. */
    async settle({ userId, claim }: Claimed, failure?: Failure): Promise<boolean> {
      const { rows } = await database.callAsLogin({
        text: 'select app.settle_identity_change($1, $2, $3, $4)',
        values: [userId, claim, failure?.reason ?? null, interval(failure?.retryAfterMs ?? 0)],
      });
      return rows[0]?.[0] === 't';
    },
    /** Of these nothing was sent. */
    async release(claimed: readonly Claimed[], retryAfterMs: number): Promise<void> {
      await database.callAsLogin({
        text: 'select app.release_identity_changes($1, $2)',
        values: [claimed.map(({ claim }) => claim), interval(retryAfterMs)],
      });
    },
    /** How much waits, of all users or of some. */
    async undelivered(users?: readonly string[]) {
      const { rows } = await database.callAsLogin({
        text: 'select u.changes, u.oldest_seconds from app.undelivered_identity_changes($1) as u',
        values: [users ?? null],
      });
      return { changes: Number(rows[0]?.[0]), oldestSeconds: Number(rows[0]?.[1]) };
    },
    /** Removes what was delivered long ago; gives how many. */
    async forget(most: number): Promise<number> {
      const { rows } = await database.callAsLogin({
        text: 'select app.forget_identity_changes($1)',
        values: [most],
      });
      return Number(rows[0]?.[0]);
    },
    async resend(userId: string): Promise<void> {
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
