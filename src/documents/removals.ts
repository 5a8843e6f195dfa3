import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import type { ContentStore } from './content-store.ts';
import type { Spool } from './spool.ts';

/** Removes contents without a document, by the plan that the database keeps. */
export interface Removals {
  /** To be called before a content is placed: where no row follows, it is removed in an hour. */
  plan(path: string): Promise<void>;
  /** Removes a planned one of which it is known that no row follows. Never rejects: the plan stands. */
  removeNow(path: string): Promise<void>;
  /**
   * Removes what is due, as after a deletion. Resolves after the first hundred, the others follow. However many call it
   * meanwhile, one round is under way and one is yet to begin, which is for all of them. Never rejects: what cannot be
   * removed stays planned.
   */
  removeDue(): Promise<void>;
  /** Resolves when what is under way has ended. */
  close(): Promise<void>;
}

const BATCH = 100;
/** For what was deleted past the API, and for what a crash has left. */
const INTERVAL_MS = 600_000;

export function createRemovals({
  store,
  spool,
  database,
  log,
}: {
  readonly store: ContentStore;
  readonly spool: Spool;
  readonly database: Pick<Database, 'callAsLogin'>;
  readonly log: Logger;
}): Removals {
  let closed = false;
  /** The round that has not begun; whatever is due by now, it finds. */
  let next: Promise<void> | undefined;
  let current: Promise<void> = Promise.resolve();
  const underWay = new Set<Promise<void>>();

  /** Gives whether there may be more. */
  async function removeBatch(): Promise<boolean> {
    const { rows } = await database.callAsLogin({ text: 'select app.due_removals($1)', values: [BATCH] });
    const paths = rows.flatMap(([path]) => path ?? []);
    const results = await Promise.allSettled(paths.map((path) => store.remove(path)));
    await complete(paths.filter((_, index) => results[index]?.status === 'fulfilled'));
    const failed = results.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    return paths.length === BATCH;
  }

  async function complete(paths: readonly string[]): Promise<void> {
    if (paths.length === 0) return;
    await database.callAsLogin({ text: 'select app.complete_removals($1)', values: [paths] });
  }

  /** Keeps `work` in mind until it has ended; a failure is logged, and is mended by the next sweep. */
  function tracked(work: () => Promise<unknown>): Promise<void> {
    const ended = work()
      .catch((error: unknown) => {
        log.error({ err: error }, 'contents without a document could not be removed yet');
      })
      .then(() => undefined)
      .finally(() => underWay.delete(ended));
    underWay.add(ended);
    return ended;
  }

  async function removeRest(): Promise<void> {
    while (!closed && (await removeBatch()));
  }

  function removeDue(): Promise<void> {
    next ??= current.then(() => {
      next = undefined;
      return (current = tracked(async () => {
        if (!closed && (await removeBatch())) void tracked(removeRest);
      }));
    });
    return next;
  }

  function sweep(): void {
    void removeDue();
    void tracked(() => spool.removeAbandoned());
  }

  sweep();
  const timer = setInterval(sweep, INTERVAL_MS).unref();

  return {
    async plan(path) {
      await database.callAsLogin({ text: 'select app.plan_removal($1)', values: [path] });
    },
    removeNow: (path) =>
      tracked(async () => {
        await store.remove(path);
        await complete([path]);
      }),
    removeDue,
    async close() {
      closed = true;
      clearInterval(timer);
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}
