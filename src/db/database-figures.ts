import type { Database } from './database.ts';
import { identityChangesOf } from './identity-changes.ts';
import { objections } from './objections.ts';

export type DatabaseFigures = ReturnType<typeof databaseFiguresOf>;

export interface Upkeep {
  readonly removals: number;
  readonly removalsOldestSeconds: number;
  /** Undefined where the server archives no write-ahead log. */
  readonly archiveFailingSeconds: number | undefined;
}

export function databaseFiguresOf(database: Pick<Database, 'callAsLogin'>) {
  const changes = identityChangesOf(database);
  return {
    undelivered: () => changes.undelivered(),
    /** How many reasons there are not to serve from it. */
    objections: async () => (await objections(database)).length,
    upkeep: async (): Promise<Upkeep> => {
      const { rows } = await database.callAsLogin({ text: UPKEEP, values: [] });
      const [removals, oldest, archive] = rows[0] ?? [];
      return {
        removals: Number(removals),
        removalsOldestSeconds: Number(oldest),
        archiveFailingSeconds: archive == null ? undefined : Number(archive),
      };
    },
  };
}

const UPKEEP = `
select
    r.contents,
    r.oldest_seconds,
    case
        when current_setting('archive_mode') = 'off' then null
        when a.last_failed_time > coalesce(a.last_archived_time, '-infinity')
            then extract(epoch from clock_timestamp() - coalesce(a.last_archived_time, a.stats_reset))
        else 0
    end
from app.overdue_removals() as r
cross join pg_catalog.pg_stat_archiver as a`;
