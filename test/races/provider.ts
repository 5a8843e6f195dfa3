import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { openDatabase } from '../../src/db/database.ts';
import { createIdentityChangeQueue } from '../../src/db/identity-changes.ts';
import type { ClaimedChange } from '../../src/db/identity-changes.ts';
import { findUser } from '../../src/demo/provider/users.ts';
import type { UserRights } from '../../src/identity/management/client.ts';
import type { Answer } from '../support/http.ts';
import type { Service } from '../support/service.ts';
import type { Claims } from './people.ts';

/**
 * An identity provider that receives changes of rights from the service and renews tokens while a test sends
 * simultaneous requests.
 */
export interface RaceProvider {
  /** For each subject, the rights that the identity provider received last. */
  readonly lastRights: ReadonlyMap<string, UserRights>;
  /** Reserves the given users’ rights for sending by this instance. An earlier reservation then no longer counts. */
  claim(users: readonly string[]): Promise<void>;
  /**
   * Sends the rights of the users in the oldest reservation to the identity provider, and records the outcome in the
   * database.
   */
  settle(): Promise<Answer>;
  /** Sends the changes of rights that are due to the identity provider. */
  deliver(): Promise<Answer>;
  /** Sends changes of rights to the identity provider until none is left. */
  drain(): Promise<void>;
  /**
   * Returns the JWT claims of the token that the identity provider issues if a user renews an earlier login; undefined
   * if it refuses.
   */
  renewed(claims: Claims): Promise<Claims | undefined>;
  close(): Promise<void>;
}

const MOST = 100;
const LEASE_MS = 600_000;

/** Returns an HTTP response for an action that is no request to the API. */
export function answerOf(status: number): Answer {
  return { status, headers: { 'x-request-id': randomUUID() }, text: '', json: undefined };
}

export function openRaceProvider(service: Service): RaceProvider {
  const lane = openDatabase({
    ...{ url: service.postgres.adminUrl, poolSize: 4, statementTimeoutMs: 10_000, preparedStatements: true },
    log: pino({ level: 'silent' }),
  });
  const changes = createIdentityChangeQueue(service.database);
  const lastRights = new Map<string, UserRights>();
  let claims: readonly (readonly ClaimedChange[])[] = [];

  async function tell(claimed: readonly ClaimedChange[]): Promise<void> {
    for (const one of claimed) {
      if (one.rights === undefined) lastRights.delete(one.subject);
      else lastRights.set(one.subject, one.rights);
      await changes.recordOutcome(one);
    }
  }

  return {
    lastRights,
    async claim(users) {
      await service.admin('update public.identity_changes set claimed_until = now() where claimed_until is not null');
      for (const user of users) await changes.resend(user);
      claims = [...claims, await changes.claim(MOST, LEASE_MS)];
    },
    async settle() {
      const [first = [], ...others] = claims;
      claims = others;
      await tell(first);
      return answerOf(200);
    },
    async deliver() {
      await tell(await changes.claim(MOST, LEASE_MS));
      return answerOf(200);
    },
    async drain() {
      for (;;) {
        const claimed = await changes.claim(MOST, LEASE_MS);
        if (claimed.length === 0) return;
        await tell(claimed);
      }
    },
    async renewed({ sub, iat, ...others }) {
      const found = await findUser(lane, 'subject', sub);
      if (found?.isActive !== true || iat <= found.endedAt) return undefined;
      const { role, clientAccess } = found;
      return { ...others, sub, role, client_access: clientAccess, iat: Math.floor(Date.now() / 1000) };
    },
    close: () => lane.close(),
  };
}
