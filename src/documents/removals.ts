import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import { REMOVED_AT_ONCE } from '../limits.ts';
import { regularly } from '../regularly.ts';
import type { ContentStore } from './content-store.ts';
import type { Spool } from './spool.ts';

export type Removals = ReturnType<typeof createRemovals>;

const FAILED = 'contents without a document could not be removed yet';

/** Removes contents without a document, by the plan that the database keeps. */
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
}) {
  const underWay = new Set<Promise<void>>();

  async function removeBatch(): Promise<boolean> {
    const { rows } = await database.callAsLogin({
      text: 'select app.due_removals($1)',
      values: [REMOVED_AT_ONCE],
    });
    const paths = rows.flatMap(([path]) => path ?? []);
    const results = await Promise.allSettled(paths.map((path) => store.remove(path)));
    await complete(paths.filter((_, index) => results[index]?.status === 'fulfilled'));
    const failed = results.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    return paths.length === REMOVED_AT_ONCE;
  }

  async function complete(paths: readonly string[]): Promise<void> {
    if (paths.length === 0) return;
    await database.callAsLogin({ text: 'select app.complete_removals($1)', values: [paths] });
  }

  /** Keeps `work` in mind until it has ended; what fails stays planned. */
  function tracked(work: () => Promise<unknown>): Promise<void> {
    const ended = work()
      .catch((err: unknown) => {
        log.error({ err }, FAILED);
      })
      .then(() => undefined)
      .finally(() => underWay.delete(ended));
    underWay.add(ended);
    return ended;
  }

  // Also for what was deleted past the API, and for what a crash has left.
  const removing = regularly(
    async (ending) => {
      const rest = async (): Promise<void> => {
        while (!ending.aborted && (await removeBatch()));
      };
      if (await removeBatch()) void tracked(rest);
    },
    FAILED,
    log,
  );
  const tidying = regularly(() => spool.removeAbandoned(), FAILED, log);

  return {
    /** To be called before a content is placed: where no row follows, it is removed in an hour. */
    async plan(path: string): Promise<void> {
      await database.callAsLogin({ text: 'select app.plan_removal($1)', values: [path] });
    },
    /** Removes a planned one of which it is known that no row follows. Never rejects: the plan stands. */
    removeNow: (path: string): Promise<void> =>
      tracked(async () => {
        await store.remove(path);
        await complete([path]);
      }),
    /** Removes what is due, as after a deletion. Resolves after the first hundred, the others follow. Never rejects. */
    removeDue: (): Promise<void> => removing.sweep(),
    async close(): Promise<void> {
      await Promise.all([removing.close(), tidying.close()]);
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}
