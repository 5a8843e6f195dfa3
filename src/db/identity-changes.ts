import type { UserRights } from '../identity/management/client.ts';
import type { Database } from './database.ts';
import type { StatementResult, Statement } from './statement.ts';

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

const formatInterval = (ms: number): string => `${String(Math.ceil(ms))} milliseconds`;

export function createIdentityChangeQueue(database: Pick<Database, 'callAsLogin'>) {
  const call = async (text: string, ...values: Statement['values']): Promise<StatementResult['rows']> =>
    (await database.callAsLogin({ text, values })).rows;
  return {
    async begin(): Promise<void> {
      await call('select app.begin_identity_management()');
    },
    async claim(limit: number, leaseMs: number): Promise<readonly ClaimedChange[]> {
      const identityChangesClaimSql = `
select c.user_id, c.claim, c.subject, c.role, c.client_access, c.is_active
from app.claim_identity_changes($1, $2) as c`;
      const erasuresQuery = 'select c.user_id, c.claim, c.subject from app.claim_erasures($1, $2) as c';
      const erasureRows = await call(erasuresQuery, limit, formatInterval(leaseMs));
      const claimedChangeRows = [
        ...erasureRows,
        ...(await call(identityChangesClaimSql, limit - erasureRows.length, formatInterval(leaseMs))),
      ];
      return claimedChangeRows.map(([userId, claim, subject, ...rights]) => ({
        ...{ userId: String(userId), claim: String(claim), subject: String(subject) },
        rights: rights.length === 0 ? undefined : parseRights(rights),
      }));
    },
    /** Returns false if the lease on the user's change had already ended; the user's newest rights are then sent. */
    async recordOutcome({ userId, claim }: ClaimedChange, failure?: DeliveryFailure): Promise<boolean> {
      const retryInterval = formatInterval(failure?.retryAfterMs ?? 0);
      const outcomeRecordingSql = 'select app.settle_identity_change($1, $2, $3, $4)';
      const outcomeRecordingRows = await call(
        outcomeRecordingSql,
        userId,
        claim,
        failure?.reason ?? null,
        retryInterval,
      );
      return outcomeRecordingRows[0]?.[0] === 't';
    },
    async release(claimed: readonly ClaimedChange[], retryAfterMs: number): Promise<void> {
      const releasedClaimIds = claimed.map(({ claim }) => claim);
      await call('select app.release_identity_changes($1, $2)', releasedClaimIds, formatInterval(retryAfterMs));
    },
    async countUndelivered(users?: readonly string[]) {
      const undeliveredCountQuery = 'select u.changes, u.oldest_seconds from app.undelivered_identity_changes($1) as u';
      const undeliveredRows = await call(undeliveredCountQuery, users ?? null);
      return { changes: Number(undeliveredRows[0]?.[0]), oldestSeconds: Number(undeliveredRows[0]?.[1]) };
    },
    async deleteDelivered(limit: number): Promise<number> {
      return Number((await call('select app.forget_identity_changes($1)', limit))[0]?.[0]);
    },
    async resend(userId: string): Promise<void> {
      await call('select app.send_identity($1)', userId);
    },
  };
}

export function parseRights([role, clients, isActive]: readonly (string | null | undefined)[]): UserRights {
  return {
    role: String(role),
    clientAccess: parsePostgresArray(String(clients)),
    isActive: isActive === 't',
  };
}

/** Parses a Postgres array whose items need no quotes. */
export function parsePostgresArray(array: string): readonly string[] {
  return array === '{}' ? [] : array.slice(1, -1).split(',');
}
