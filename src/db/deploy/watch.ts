import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { AdminConnection } from './admin-connection.ts';
import { type Blocker, blockersOf, describe } from './blockers.ts';
import { DEPLOY_PAUSE_SEEN_MS, DEPLOY_SAY_AGAIN_MS } from '../../limits.ts';
import { MigrationError, reasonOf } from './migration-error.ts';

/**
 * Looks after one of two connections through the other while it works.
 * @param sayAfterMs the wait after which those in the way are named
 * @param everyMs how often to look: more than once in the short time for which a deploy waits
 */
export function createWatch(log: Logger, sayAfterMs: number, everyMs: number) {
  let last: readonly Blocker[] = [];

  async function look(what: string, waiter: AdminConnection, watcher: AdminConnection, over: AbortSignal) {
    let blockedSince: number | undefined;
    let blockedLast = 0;
    let saidLast = 0;
    for (;;) {
      const now = performance.now();
      const blockers = await watcher.answered((client) => blockersOf(client, waiter.pid));
      if (blockers.length > 0) {
        last = blockers;
        blockedLast = now;
        blockedSince ??= now;
        const waited = now - blockedSince;
        if (waited >= sayAfterMs && (saidLast < blockedSince || now - saidLast >= DEPLOY_SAY_AGAIN_MS)) {
          saidLast = now;
          log.warn(`${what} has waited ${Math.round(waited / 1_000)} s for ${named(blockers)}`);
        }
      } else if (now - blockedLast > DEPLOY_PAUSE_SEEN_MS) blockedSince = undefined;
      await setTimeout(everyMs, undefined, { signal: over });
    }
  }

  return {
    /** Logs who is in the way of `work`. A server that leaves the watcher without an answer is mute: both connections end. */
    async during<T>(
      what: string,
      waiter: AdminConnection,
      watcher: AdminConnection,
      work: () => Promise<T>,
    ): Promise<T> {
      const over = new AbortController();
      let lost: Error | undefined;
      const looking = look(what, waiter, watcher, over.signal).catch((error: unknown) => {
        if (over.signal.aborted) return;
        lost = new MigrationError(`${what}: the server answers no more (${reasonOf(error)}); run it again`, {
          cause: error,
        });
        waiter.destroy();
        watcher.destroy();
      });
      try {
        return await work();
      } catch (error) {
        throw lost ?? error;
      } finally {
        over.abort();
        await looking;
      }
    },
    /** Who was in the way last, as a clause for a message. */
    lastSeen: (): string => (last.length === 0 ? 'nobody who could be named' : named(last)),
  };
}

function named(blockers: readonly Blocker[]): string {
  return blockers.map(describe).join('; ');
}
