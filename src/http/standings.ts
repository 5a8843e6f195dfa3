import type { Database } from '../db/database.ts';
import type { RequestContext } from '../db/request-settings.ts';
import type { Statement } from '../db/statement.ts';

/** A record that a request names. */
export interface Named {
  /** A table, from our own endpoints. */
  readonly table: string;
  readonly id: string;
  /** What tells its versions apart, in SQL for `r`. */
  readonly version?: string | undefined;
}

/** Thrown where a statement about the record that the request names, or about another, found nothing. */
export class NothingFound extends Error {
  override readonly name = 'NothingFound';
  /** Where it is not the one that the request names. */
  readonly record: Named | undefined;

  constructor(record?: Named) {
    super();
    this.record = record;
  }
}

/** What there is of such a record, for the caller. */
export interface Standing {
  /** With the rights of the request: where it names a client, within that one. */
  readonly isSeen: boolean;
  /** With all the clients of the caller. */
  readonly isOwn: boolean;
  readonly exists: boolean;
  /** Whose it is, whoever asks; undefined where it belongs to no client, or does not exist. */
  readonly client: string | undefined;
  /** The present version, where it is seen and was asked for. */
  readonly version: string | undefined;
}

/** Looks the records up in one pipeline: as the request, as the caller with all its clients, and as the API itself. */
export async function standings(
  named: readonly Named[],
  database: Database,
  context: RequestContext,
): Promise<readonly Standing[]> {
  const looks = named.map(look);
  const [seen = [], own = [], located = []] = await database.runInTurn([
    { context: { ...context, readOnly: true }, statements: looks },
    { context: { ...context, readOnly: true, client: undefined }, statements: looks },
    { context: undefined, statements: named.map(locate) },
  ]);
  return named.map((_record, index) => {
    const [found, client] = located[index]?.rows[0] ?? [];
    return {
      isSeen: (seen[index]?.rowCount ?? 0) > 0,
      isOwn: (own[index]?.rowCount ?? 0) > 0,
      exists: found === 't',
      client: client ?? undefined,
      version: seen[index]?.rows[0]?.[0] ?? undefined,
    };
  });
}

/** Whether the caller sees it: a row of its version, or none. */
export function look({ table, id, version = 'null' }: Named): Statement {
  return { text: `select ${version} from public.${table} as r where r.id = $1`, values: [id] };
}

function locate({ table, id }: Named): Statement {
  return { text: 'select found, client_id from app.locate($1, $2)', values: [table, id] };
}
