import type { Logger } from 'pino';
import type { ManagementError } from '../identity/management/errors.ts';
import { DELIVERY_FAILING_USERS, DELIVERY_PAUSE_MS } from '../limits.ts';
import { Pauses } from '../retries.ts';

/** What is said once of a trouble that is not of one user. */
const SAID = {
  credential: 'the identity provider refuses our credential: changes wait',
  away: 'the identity provider is away: changes wait',
  address: 'AUTH_MANAGEMENT_URL does not lead to the management interface: changes wait',
  limited: 'the identity provider wants to be asked less: changes wait',
} as const;

/**
 * When to leave the provider alone although nobody has said so: where it refuses our credential, or where it is away for
 * one user after the other. One user's own trouble keeps none of the others waiting.
 */
export function createCaution(log: Logger) {
  const failing = new Set<string>();
  const said = new Set<string>();
  const pauses = new Pauses(DELIVERY_PAUSE_MS);
  let until = -Infinity;

  return {
    succeeded(): void {
      if (said.size > 0) log.info('the identity provider takes changes again');
      said.clear();
      failing.clear();
      pauses.reset();
      until = -Infinity;
    },
    failed({ trouble, message: reason }: ManagementError, userId: string): void {
      if (trouble === 'unknown' || trouble === 'refused') {
        log.warn({ userId, trouble, reason }, 'the identity provider does not take the rights of a user');
        return;
      }
      if (!said.has(SAID[trouble])) log.warn({ trouble, reason }, SAID[trouble]);
      said.add(SAID[trouble]);
      if (trouble === 'away' || trouble === 'address') failing.add(userId);
      const isForAll = trouble === 'credential' || failing.size >= DELIVERY_FAILING_USERS;
      if (isForAll && trouble !== 'limited' && performance.now() >= until)
        until = performance.now() + pauses.next();
    },
    pausedMs: (): number => Math.max(0, until - performance.now()),
  };
}
