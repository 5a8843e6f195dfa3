/*
 * This class notes what one caller of a load test has written and read. Later answers to the caller must show each
 * acknowledged write, and no record in an older version than the caller has read. The class sends no requests, so that
 * test/faults/load/sight.test.ts can check invented answers.
 */

/** A record as the service returned it to the load test. */
export type Row = Readonly<Record<string, unknown>> & { readonly id: string; readonly updated_at: string };

/**
 * How an answer can be outdated. A reported violation begins with one of these texts, so that violations can be counted
 * by kind.
 */
export const BEHIND = {
  lacking: 'lacks an acknowledged write of the caller',
  old: 'has an older value than the caller’s acknowledged write',
  back: 'is an older version than the caller has read before',
  deleted: 'has a record that the caller has deleted',
  fewer: 'counts fewer claims than the caller has created',
} as const;

/** The fields that a load test changes only in a user’s own records, so that the user knows their values. */
const KEPT = { sites: ['site_name', 'address'], reclamations: ['status', 'grounds'] } as const;
export type Kept = keyof typeof KEPT;

interface Written {
  readonly table: Kept;
  readonly row: Row;
}

/** What one caller of the load test has written, deleted and read. */
export class Sight {
  readonly #written = new Map<string, Written>();
  readonly #deleted = new Set<string>();
  /** The newest version in which the caller of the load test has read each record, by the record’s id. */
  readonly #seen = new Map<string, string>();
  readonly #own = new Set<string>();
  #claims = 0;

  /** Notes a record that the caller of the load test has written, as the service returned it. */
  acknowledged(table: Kept, row: Row): void {
    if (table === 'reclamations' && !this.#own.has(row.id)) this.#claims += 1;
    this.#own.add(row.id);
    this.#written.set(row.id, { table, row });
  }

  /**
   * Notes that the caller of the load test is changing a record. Until the change is answered, other answers are
   * allowed to show the record before or after the change.
   */
  begun(id: string): void {
    this.#written.delete(id);
  }

  deleted(id: string): void {
    this.#deleted.add(id);
  }

  /** The caller takes a view just before it sends a request. The view judges the request’s answer by what was known then. */
  view(): View {
    const [written, seen] = [new Map(this.#written), new Map(this.#seen)];
    const [deleted, claims] = [new Set(this.#deleted), this.#claims];
    // If the caller changes or deletes a record after sending a request, the answer to that request need not show the
    // record.
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
        // A list begins with the newest record. A full page therefore has every record that is newer than the page’s
        // last one.
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
 * Checks the answer to one request of the load test. Each function returns null, or a violation that begins with a text
 * of `BEHIND`.
 */
interface View {
  record(row: Row): string | null;
  /** Checks one page of a list whose newest records come first, at most `limit` of them. */
  page(table: Kept, rows: readonly Row[], limit: number): string | null;
  countOfClaims(count: number): string | null;
}

function createdAt(row: Row | undefined): string {
  const time = row?.['created_at'];
  return typeof time === 'string' ? versionOf(time) : '';
}

/**
 * Returns a time of the API to the millisecond, as a text whose alphabetical order is the order of time. While instances
 * of releases 2 and 3 run side by side, callers read the same time with microseconds from one and without from the other.
 */
export function versionOf(time: string): string {
  return new Date(time).toISOString();
}
