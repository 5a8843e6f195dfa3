import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { AdminConnection } from './admin-connection.ts';
import { type Blocker, blockersOf, describeBlockers } from './blockers.ts';
import { DEPLOY_PAUSE_SEEN_MS, DEPLOY_SAY_AGAIN_MS } from '../../limits.ts';
import { MigrationError, reasonOf } from './migration-error.ts';

interface WatchOptions {
  readonly log: Logger;
  /** After how long a wait those who cause it are named. */
  readonly sayAfterMs: number;
  /** From then on, whether reporting sessions among them are ended. */
  readonly evict: boolean;
  /** How often to look: more than once in the short time for which a deploy waits. */
  readonly everyMs: number;
}

/** Looks after one of two connections through the other while it works. */
interface Watch {
  /**
   * Runs `work` on `waiter`, and says what it waits for and who is in its way. The watcher gets an answer within ten
   * seconds each time it asks: where it does not, the server is mute, and both connections are let go.
   */
  during<T>(
    what: string,
    waiter: AdminConnection,
    watcher: AdminConnection,
    work: () => Promise<T>,
  ): Promise<T>;
  /** Who was in the way last, as a clause for a message. */
  readonly lastSeen: () => string;
}

export function createWatch(options: WatchOptions): Watch {
  const { log, sayAfterMs, evict, everyMs } = options;
  let last: readonly Blocker[] = [];

  async function look(what: string, waiter: AdminConnection, watcher: AdminConnection, over: AbortSignal) {
    const start = performance.now();
    let blockedSince: number | undefined;
    let blockedLast = 0;
    let saidLast = start;
    for (;;) {
      const now = performance.now();
      const waited = blockedSince === undefined ? 0 : now - blockedSince;
      const isLong = blockedSince !== undefined && waited >= sayAfterMs;
      const blockers = await watcher.answered((client) => blockersOf(client, waiter.pid, evict && isLong));
      if (blockers.length > 0) {
        last = blockers;
        blockedLast = now;
        blockedSince ??= now;
        const ended = blockers.filter((blocker) => blocker.ended);
        if (ended.length > 0)
          log.warn(`ended because it was in the way of ${what}: ${describeBlockers(ended)}`);
        if (isLong && (saidLast < blockedSince || now - saidLast >= DEPLOY_SAY_AGAIN_MS)) {
          saidLast = now;
          log.warn(`${what} has waited ${seconds(waited)} for ${describeBlockers(blockers)}`);
        }
      } else if (now - blockedLast > DEPLOY_PAUSE_SEEN_MS) {
        blockedSince = undefined;
        if (now - saidLast >= DEPLOY_SAY_AGAIN_MS) {
          saidLast = now;
          log.info(`${what} is at work since ${seconds(now - start)}`);
        }
      }
      await setTimeout(everyMs, undefined, { signal: over });
    }
  }

  return {
    async during(what, waiter, watcher, work) {
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
    lastSeen: () => (last.length === 0 ? 'nobody who could be named' : describeBlockers(last)),
  };
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1_000)} s`;
}
