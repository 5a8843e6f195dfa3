import type { Logger } from 'pino';
import { readAsLogin, type DatabaseLogin } from '../db/database.ts';
import { CONTENT_REMOVALS_AT_ONCE } from '../limits.ts';
import { runPeriodically } from '../periodic-task.ts';
import type { ContentStore } from './content-store.ts';
import type { Uploads } from './uploads.ts';

const REMOVAL_FAILURE_MESSAGE = 'contents without a document could not be removed yet';

export function createRemovals(store: ContentStore, uploads: Uploads, database: DatabaseLogin, log: Logger) {
  const pending = new Set<Promise<void>>();

  async function removeDueBatch(): Promise<boolean> {
    const rows = await readAsLogin(database, 'select app.due_removals($1)', CONTENT_REMOVALS_AT_ONCE);
    const due = rows.flatMap(([path]) => path ?? []);
    const results = await Promise.allSettled(due.map((path) => store.remove(path)));
    await markRemoved(due.filter((_, index) => results[index]?.status === 'fulfilled'));
    const failed = results.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    return due.length === CONTENT_REMOVALS_AT_ONCE;
  }

  async function markRemoved(paths: readonly string[]): Promise<void> {
    if (paths.length === 0) return;
    await readAsLogin(database, 'select app.complete_removals($1)', paths);
  }

  function track(removal: () => Promise<unknown>): Promise<void> {
    const tracked = removal()
      .catch((err: unknown) => {
        log.error({ err }, REMOVAL_FAILURE_MESSAGE);
      })
      .then(() => undefined)
      .finally(() => pending.delete(tracked));
    pending.add(tracked);
    return tracked;
  }

  const task = runPeriodically(
    async (ending) => {
      if (!(await removeDueBatch())) return;
      void track(async () => {
        while (!ending.aborted && (await removeDueBatch()));
      });
    },
    REMOVAL_FAILURE_MESSAGE,
    log,
  );
  const abandoned = runPeriodically(() => uploads.removeAbandoned(), REMOVAL_FAILURE_MESSAGE, log);

  return {
    /**
     * Plans the removal of a content before the content is stored. One hour after the plan, the service removes the
     * content unless a document row refers to it.
     */
    async plan(path: string): Promise<void> {
      await readAsLogin(database, 'select app.plan_removal($1)', path);
    },
    /**
     * Removes at once a content that no document row refers to. Never rejects, because after a failure the planned
     * removal remains and runs later.
     */
    removeNow: (path: string): Promise<void> =>
      track(async () => {
        await store.remove(path);
        await markRemoved([path]);
      }),
    /** Runs the due removals; resolves after the first hundred and runs the others in the background. Never rejects. */
    removeDueContents: (): Promise<void> => task.runNow(),
    async close(): Promise<void> {
      await Promise.all([task.close(), abandoned.close()]);
      while (pending.size > 0) await Promise.all(pending);
    },
  };
}
