import type { UserRights } from '../identity/management/client.ts';
import { readAsLogin, type DatabaseLogin } from './database.ts';

/** A user's changed rights; until the lease ends, only this process may send them to the identity provider. */
export interface ClaimedChange {
  readonly userId: string;
  readonly claim: string;
  readonly subject: string;
  /** The user's present rights; undefined for an erased user, whom the identity provider must delete. */
  readonly rights: UserRights | undefined;
}

export interface DeliveryFailure {
  readonly reason: string;
  readonly retryAfterMs: number;
}

export type IdentityChanges = ReturnType<typeof createIdentityChangeQueue>;

export const formatInterval = (ms: number): string => `${String(Math.ceil(ms))} milliseconds`;

const CLAIM_CHANGES_QUERY = `
select c.user_id, c.claim, c.subject, c.role, c.client_access, c.is_active
from app.claim_identity_changes($1, $2) as c`;

export function createIdentityChangeQueue(database: DatabaseLogin) {
  return {
    async begin(): Promise<void> {
      await readAsLogin(database, 'select app.begin_identity_management()');
    },
    async claim(limit: number, leaseMs: number): Promise<readonly ClaimedChange[]> {
      const erasures = await readAsLogin(
        database,
        'select c.user_id, c.claim, c.subject from app.claim_erasures($1, $2) as c',
        limit,
        formatInterval(leaseMs),
      );
      const changes = await readAsLogin(
        database,
        CLAIM_CHANGES_QUERY,
        limit - erasures.length,
        formatInterval(leaseMs),
      );
      return [...erasures, ...changes].map(([userId, claim, subject, ...rights]) => ({
        userId: String(userId),
        claim: String(claim),
        subject: String(subject),
        rights: rights.length === 0 ? undefined : parseRights(rights),
      }));
    },
    /** Returns false if the lease on the user's change had already ended; the user's newest rights are then sent. */
    async recordOutcome({ userId, claim }: ClaimedChange, failure?: DeliveryFailure): Promise<boolean> {
      const [row] = await readAsLogin(
        database,
        'select app.settle_identity_change($1, $2, $3, $4)',
        userId,
        claim,
        failure?.reason ?? null,
        formatInterval(failure?.retryAfterMs ?? 0),
      );
      return row?.[0] === 't';
    },
    async release(claimed: readonly ClaimedChange[], retryAfterMs: number): Promise<void> {
      await readAsLogin(
        database,
        'select app.release_identity_changes($1, $2)',
        claimed.map(({ claim }) => claim),
        formatInterval(retryAfterMs),
      );
    },
    async countUndelivered(users?: readonly string[]) {
      const [row = []] = await readAsLogin(
        database,
        'select u.changes, u.oldest_seconds from app.undelivered_identity_changes($1) as u',
        users ?? null,
      );
      return { changes: Number(row[0]), oldestSeconds: Number(row[1]) };
    },
    async deleteDelivered(limit: number): Promise<number> {
      return Number((await readAsLogin(database, 'select app.forget_identity_changes($1)', limit))[0]?.[0]);
    },
    async resend(userId: string): Promise<void> {
      await readAsLogin(database, 'select app.send_identity($1)', userId);
    },
  };
}

export function parseRights([role, clients, isActive]: readonly (string | null | undefined)[]): UserRights {
  return { role: String(role), clientAccess: parsePostgresArray(String(clients)), isActive: isActive === 't' };
}

/** Parses a Postgres array whose items need no quotes. */
export function parsePostgresArray(array: string): readonly string[] {
  return array === '{}' ? [] : array.slice(1, -1).split(',');
}
