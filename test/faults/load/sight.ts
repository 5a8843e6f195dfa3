/*
 * What the answers to one caller must show: all that was acknowledged to them, and nothing older than they have seen. It
 * knows no request and no database, so that test/faults/load/sight.test.ts can lie to it.
 */

/** A record as an answer has it. */
export type Row = Readonly<Record<string, unknown>> & { readonly id: string; readonly updated_at: string };

/** In what way an answer is behind; each begins with what it is counted by. */
export const BEHIND = {
  lacking: 'lacks what was acknowledged',
  old: 'has an old value of what was acknowledged',
  back: 'is older than what the same caller has seen',
  deleted: 'has what was deleted',
  fewer: 'counts less than was acknowledged',
} as const;

/** What of a record nobody but its writer changes. */
const KEPT = { sites: ['site_name', 'address'], reclamations: ['status', 'grounds'] } as const;
export type Kept = keyof typeof KEPT;

interface Written {
  readonly table: Kept;
  readonly row: Row;
}

/** What one caller has written, deleted and seen. */
export class Sight {
  readonly #written = new Map<string, Written>();
  readonly #deleted = new Set<string>();
  /** The latest version of each. */
  readonly #seen = new Map<string, string>();
  readonly #own = new Set<string>();
  #claims = 0;

  /** A write was answered with this record. */
  acknowledged(table: Kept, row: Row): void {
    if (table === 'reclamations' && !this.#own.has(row.id)) this.#claims += 1;
    this.#own.add(row.id);
    this.#written.set(row.id, { table, row });
  }

  /** A write of it begins: until that is acknowledged it may be as before, or as after. */
  begun(id: string): void {
    this.#written.delete(id);
  }

  deleted(id: string): void {
    this.#deleted.add(id);
  }

  /** What an answer must show to a request that is sent now. */
  view(): View {
    const [written, seen] = [new Map(this.#written), new Map(this.#seen)];
    const [deleted, claims] = [new Set(this.#deleted), this.#claims];
    // What a write that began meanwhile has left is no more than before.
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
        // Newest first: whatever is newer than the last of a full page is on it.
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

/** Each gives what is wrong, beginning with one of `BEHIND`; null where nothing is. */
interface View {
  record(row: Row): string | null;
  /** The newest, so many at most. */
  page(table: Kept, rows: readonly Row[], limit: number): string | null;
  countOfClaims(count: number): string | null;
}

function createdAt(row: Row | undefined): string {
  const time = row?.['created_at'];
  return typeof time === 'string' ? versionOf(time) : '';
}

/** Texts of which the greater is the later: a time leaves the zeros at its end out, and the end itself is in the way. */
export function versionOf(time: string): string {
  return time.replace(/Z$/, '');
}
