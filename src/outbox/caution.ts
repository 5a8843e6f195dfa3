import type { Logger } from 'pino';
import type { ManagementError } from '../identity/management/errors.ts';

/**
 * When to leave the provider alone although nobody has said so: where it refuses our credential, or where it is away for
 * one user after the other. One user's own trouble keeps none of the others waiting.
 */
export interface Caution {
  succeeded(): void;
  failed(error: ManagementError, userId: string): void;
  pausedMs(): number;
}

/** So many users after each other, with no success between, are no chance. */
const MANY = 4;
const FIRST_MS = 1_000;
const LONGEST_MS = 30_000;

/** Says of each trouble once that it has begun, and once that it is over. */
export function createCaution(log: Logger): Caution {
  let failing = new Set<string>();
  let pauses = 0;
  let until = -Infinity;
  const told = new Set<string>();

  function pause(): void {
    if (performance.now() < until) return;
    until = performance.now() + Math.min(FIRST_MS * 2 ** pauses, LONGEST_MS);
    pauses += 1;
  }

  function tell(what: string, { trouble, message: reason }: ManagementError): void {
    if (!told.has(what)) log.warn({ trouble, reason }, what);
    told.add(what);
  }

  return {
    succeeded() {
      if (told.size > 0) log.info('the identity provider takes changes again');
      told.clear();
      failing = new Set();
      pauses = 0;
      until = -Infinity;
    },
    failed(error, userId) {
      if (error.trouble === 'credential') {
        tell('the identity provider refuses our credential: changes wait', error);
        pause();
      } else if (error.trouble === 'away' || error.trouble === 'address') {
        failing.add(userId);
        tell(
          error.trouble === 'away'
            ? 'the identity provider is away: changes wait'
            : 'AUTH_MANAGEMENT_URL does not lead to the management interface: changes wait',
          error,
        );
        if (failing.size >= MANY) pause();
      } else if (error.trouble === 'limited') {
        tell('the identity provider wants to be asked less: changes wait', error);
      } else {
        const { trouble, message: reason } = error;
        log.warn({ userId, trouble, reason }, 'the identity provider does not take the rights of a user');
      }
    },
    pausedMs: () => Math.max(0, until - performance.now()),
  };
}
