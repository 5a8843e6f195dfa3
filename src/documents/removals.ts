import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import { CONTENT_REMOVALS_AT_ONCE } from '../limits.ts';
import { runPeriodically } from '../periodic-task.ts';
import type { ContentStore } from './content-store.ts';
import type { Uploads } from './uploads.ts';

const REMOVAL_FAILURE_MESSAGE = 'contents without a document could not be removed yet';

export function createRemovals(
  store: ContentStore,
  uploads: Uploads,
  database: Pick<Database, 'callAsLogin'>,
  log: Logger,
) {
  const pendingRemovals = new Set<Promise<void>>();

  async function removeDueBatch(): Promise<boolean> {
    const dueRemovalsSql = 'select app.due_removals($1)';
    const { rows } = await database.callAsLogin({ text: dueRemovalsSql, values: [CONTENT_REMOVALS_AT_ONCE] });
    const dueContentPaths = rows.flatMap(([path]) => path ?? []);
    const removalResults = await Promise.allSettled(dueContentPaths.map((path) => store.remove(path)));
    await markRemoved(dueContentPaths.filter((_, index) => removalResults[index]?.status === 'fulfilled'));
    const failedRemovalResult = removalResults.find((result) => result.status === 'rejected');
    if (failedRemovalResult !== undefined) throw failedRemovalResult.reason;
    return dueContentPaths.length === CONTENT_REMOVALS_AT_ONCE;
  }

  async function markRemoved(paths: readonly string[]): Promise<void> {
    if (paths.length === 0) return;
    await database.callAsLogin({ text: 'select app.complete_removals($1)', values: [paths] });
  }

  function trackRemoval(removal: () => Promise<unknown>): Promise<void> {
    const trackedRemoval = removal()
      .catch((err: unknown) => {
        log.error({ err }, REMOVAL_FAILURE_MESSAGE);
      })
      .then(() => undefined)
      .finally(() => pendingRemovals.delete(trackedRemoval));
    pendingRemovals.add(trackedRemoval);
    return trackedRemoval;
  }

  const removalTask = runPeriodically(
    async (ending) => {
      const removeRemainingBatches = async (): Promise<void> => {
        while (!ending.aborted && (await removeDueBatch()));
      };
      if (await removeDueBatch()) void trackRemoval(removeRemainingBatches);
    },
    REMOVAL_FAILURE_MESSAGE,
    log,
  );
  const abandonedUploadTask = runPeriodically(() => uploads.removeAbandoned(), REMOVAL_FAILURE_MESSAGE, log);

  return {
    /**
     * Plans the removal of a content before the content is stored. One hour after the plan, the service removes the
     * content unless a document row refers to it.
     */
    async plan(path: string): Promise<void> {
      await database.callAsLogin({ text: 'select app.plan_removal($1)', values: [path] });
    },
    /**
     * Removes at once a content that no document row refers to. Never rejects, because after a failure the planned
     * removal remains and runs later.
     */
    removeNow: (path: string): Promise<void> =>
      trackRemoval(async () => {
        await store.remove(path);
        await markRemoved([path]);
      }),
    /** Runs the due removals; resolves after the first hundred and runs the others in the background. Never rejects. */
    removeDueContents: (): Promise<void> => removalTask.runNow(),
    async close(): Promise<void> {
      await Promise.all([removalTask.close(), abandonedUploadTask.close()]);
      while (pendingRemovals.size > 0) await Promise.all(pendingRemovals);
    },
  };
}
