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

/** The identity provider of a race’s service, which receives changes of rights and renews tokens. */
export interface RaceProvider {
  /** The rights that the identity provider received last for each subject. */
  readonly lastRights: ReadonlyMap<string, UserRights>;
  /** Claims the delivery of the given users’ rights for this instance, and thereby ends an earlier claim. */
  claim(users: readonly string[]): Promise<void>;
  /** Delivers the rights of the users in the oldest claim to the identity provider, and records the outcome. */
  settle(): Promise<Answer>;
  /** Delivers the changes of rights that are due to the identity provider. */
  deliver(): Promise<Answer>;
  /** Delivers changes of rights to the identity provider until no change is left. */
  drain(): Promise<void>;
  /**
   * Returns the JWT claims of a token that the identity provider issues now for an earlier login; undefined if the
   * provider refuses.
   */
  renewed(claims: Claims): Promise<Claims | undefined>;
  close(): Promise<void>;
}

const MOST = 100;
const LEASE_MS = 600_000;

/** Returns an answer, in the form of an HTTP response, to an operation that is no request to the API. */
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
