/*
 * This module knows what the answers to one caller of the load test must show: each acknowledged write of the caller,
 * and no older version of a record than the caller has already read. It sends no requests, so that
 * test/faults/load/sight.test.ts can check invented answers.
 */

/** A record in an answer of the service to a request of the load test. */
export type Row = Readonly<Record<string, unknown>> & { readonly id: string; readonly updated_at: string };

/**
 * The kinds of outdated answers. Each text is the beginning of a reported violation, by which violations are counted.
 */
export const BEHIND = {
  lacking: 'lacks an acknowledged write of the caller',
  old: 'has an older value than the caller’s acknowledged write',
  back: 'is an older version than the caller has read before',
  deleted: 'has a record that the caller has deleted',
  fewer: 'counts fewer claims than the caller has created',
} as const;

/** The fields of a record that, in a load test, only the person who wrote them changes. */
const KEPT = { sites: ['site_name', 'address'], reclamations: ['status', 'grounds'] } as const;
export type Kept = keyof typeof KEPT;

interface Written {
  readonly table: Kept;
  readonly row: Row;
}

/** The records that one caller of the load test has written, deleted and read. */
export class Sight {
  readonly #written = new Map<string, Written>();
  readonly #deleted = new Set<string>();
  /** The newest version of each record that the caller of the load test has read, by the record’s id. */
  readonly #seen = new Map<string, string>();
  readonly #own = new Set<string>();
  #claims = 0;

  /** Notes a record that the service returned as the answer to a write of the load test’s caller. */
  acknowledged(table: Kept, row: Row): void {
    if (table === 'reclamations' && !this.#own.has(row.id)) this.#claims += 1;
    this.#own.add(row.id);
    this.#written.set(row.id, { table, row });
  }

  /**
   * Notes that the caller has sent a write of a record. Until its answer arrives, other answers may show the record
   * before or after the write.
   */
  begun(id: string): void {
    this.#written.delete(id);
  }

  deleted(id: string): void {
    this.#deleted.add(id);
  }

  /** Returns what an answer to a request that the caller sends now must show. */
  view(): View {
    const [written, seen] = [new Map(this.#written), new Map(this.#seen)];
    const [deleted, claims] = [new Set(this.#deleted), this.#claims];
    // An answer need not show a record that its caller has changed or deleted after sending the request.
    const isStill = (id: string): boolean => this.#written.get(id) === written.get(id);

    const record = (row: Row): string | null => {
      const { id } = row;
      const version = versionOf(row.updated_at);
      const last = seen.get(id);
      if (version > (this.#seen.get(id) ?? '')) this.#seen.set(id, version);
      if (deleted.has(id)) return `${BEHIND.deleted}: ${id}`;
      const own = written.get(id);
      if (own !== undefined && isStill(id)) {
        const column = KEPT[own.table].find((name) => (row[name] ?? null) !== (own.row[name] ?? null));
        if (column !== undefined || version < versionOf(own.row.updated_at)) {
          const what = column ?? 'updated_at';
          return `${BEHIND.old}: ${what} of ${id} is ${String(row[what])}, and not ${String(own.row[what])}`;
        }
      }
      if (last === undefined || version >= last) return null;
      return `${BEHIND.back}: ${id} of ${version}, after ${last}`;
    };

    return {
      record,
      page(table, rows, limit) {
        const defect = rows.map(record).find((one) => one !== null);
        if (defect !== undefined) return defect;
        const ids = new Set(rows.map(({ id }) => id));
        // The newest records come first, so a full page has every record that is newer than the last record of the
        // page.
        const end = rows.length < limit ? '' : createdAt(rows.at(-1));
        for (const [id, own] of written) {
          const belongs = own.table === table && createdAt(own.row) > end;
          if (belongs && !ids.has(id) && isStill(id)) return `${BEHIND.lacking}: ${id} is not in the list`;
        }
        return null;
      },
      countOfClaims: (count) =>
        count < claims ? `${BEHIND.fewer}: ${String(count)} claims, and ${String(claims)} are the caller’s` : null,
    };
  }
}

/**
 * Checks the answers to one request of the load test. Each function returns a violation that begins with a text of
 * `BEHIND`, or null.
 */
interface View {
  record(row: Row): string | null;
  /** Checks a page of a list with the newest records, at most `limit` of them. */
  page(table: Kept, rows: readonly Row[], limit: number): string | null;
  countOfClaims(count: number): string | null;
}

function createdAt(row: Row | undefined): string {
  const time = row?.['created_at'];
  return typeof time === 'string' ? versionOf(time) : '';
}

/**
 * Converts a time of the API so that the alphabetically greater text is the later time. The API omits trailing zeros of
 * seconds, so the `Z` at the end must be removed.
 */
export function versionOf(time: string): string {
  return time.replace(/Z$/, '');
}
