import pg from 'pg';
import { sqlState } from '../../../src/db/errors.ts';
import { isOfAnotherSuite } from '../../support/durability.ts';
import type { Found } from '../../support/durability.ts';
import { type Grid, inBoth, inGrids } from './grid.ts';
import { type CatalogMutant, type Change, catalogMutantsOf } from './kinds.ts';

/**
 * How a test notices that it has changed the database: a view of the audit reports the change, the audit fails with an
 * error, or Postgres refuses the change.
 */
export const SPEAKERS = ['drift', 'findings', 'an error of the audit', 'Postgres, which refuses it'] as const;

export type Verdict =
  | { readonly by: (typeof SPEAKERS)[number] }
  | { readonly survived: 'unseen' | 'not made'; readonly message?: string };

export type Judged<C extends Change = CatalogMutant> = ReadonlyMap<C, Verdict>;

/** A database for a test that makes a change, asks the audit about it, and rolls the change back. */
export interface Judge {
  readonly admin: pg.Client;
  mutantsOf(kind: string): Promise<readonly CatalogMutant[]>;
  judge<C extends Change>(mutants: readonly C[]): Promise<Judged<C>>;
  /** Returns the views of the audit that report a difference from the database before its first change. */
  ask(): Promise<Verdict>;
  /** @throws if the database differs from its state before the first change that the test made */
  assertMended(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Postgres refuses a change with one of these SQLSTATEs if the change is impossible for this object (for example a
 * partition) or for its rows (for example NOT NULL for a column that has a null).
 */
const NOT_FOR_SUCH = ['42809', '42P16', '0A000', '2BP01', '23502'];

/** How long a change of the database may take. A longer change counts as refused. */
const LIMITS = `set local lock_timeout = '30s'; set local statement_timeout = '120s'`;

const DRIFT = 'select kind, object, md5(present) as present from audit.drift';

/**
 * Returns the rows of audit.findings without those about logins of other test suites, because such logins come and go
 * on the same Postgres server.
 */
async function findingsOf(admin: pg.Client): Promise<string[]> {
  const { rows } = await admin.query<Found>('select finding, object from audit.findings');
  return rows
    .filter(({ object }) => !isOfAnotherSuite(object, String(admin.database)))
    .map(({ finding, object }) => JSON.stringify([finding, object]));
}

export async function openJudge(adminUrl: string): Promise<Judge> {
  // If search_path is empty, Postgres prints the names of objects with their schemas.
  const options = '-c search_path= -c jit=off -c synchronous_commit=off';
  const admin = new pg.Client({ connectionString: adminUrl, options });
  // Some changes end the database session. Then the SQL statement fails anyway, so the error of the connection is
  // ignored.
  admin.on('error', () => undefined);
  await admin.connect();
  const lists = new Map<string, Promise<readonly CatalogMutant[]>>();
  const before = new Set(await findingsOf(admin));

  async function assertMended(): Promise<void> {
    const drift = await rowsOf(admin, DRIFT);
    const added = (await findingsOf(admin)).filter((found) => !before.has(found));
    if (drift.size + added.length > 0) throw new Error(`not mended: ${JSON.stringify([[...drift], added])}`);
  }

  async function ask(): Promise<Verdict> {
    try {
      if ((await rowsOf(admin, `${DRIFT} limit 1`)).size > 0) return { by: 'drift' };
      for (const found of await findingsOf(admin)) if (!before.has(found)) return { by: 'findings' };
      return { survived: 'unseen' };
    } catch (error) {
      messageOf(error);
      return { by: 'an error of the audit' };
    }
  }

  async function judgeAlone(mutant: Change): Promise<Verdict> {
    await admin.query(`begin; ${LIMITS}`);
    try {
      await admin.query(mutant.sql);
      return await ask();
    } catch (error) {
      const message = messageOf(error);
      return NOT_FOR_SUCH.includes(sqlState(error) ?? '')
        ? { by: 'Postgres, which refuses it' }
        : { survived: 'not made', message };
    } finally {
      await admin.query('rollback');
    }
  }

  await assertMended();
  return {
    admin,
    mutantsOf(kind) {
      const list = lists.get(kind) ?? catalogMutantsOf(admin, kind);
      lists.set(kind, list);
      return list;
    },
    async judge<C extends Change>(mutants: readonly C[]) {
      const verdicts = new Map<C, Verdict>();
      for (const grid of inGrids(mutants))
        for (const mutant of await detectedInGrid(admin, grid)) verdicts.set(mutant, { by: 'drift' });
      for (const mutant of mutants) if (!verdicts.has(mutant)) verdicts.set(mutant, await judgeAlone(mutant));
      return verdicts;
    },
    ask,
    assertMended,
    close: () => admin.end(),
  };
}

/**
 * Tries many changes of the database together. Returns the changes that the view audit.drift certainly reports; all
 * others must be tried one by one.
 */
async function detectedInGrid<C extends Change>(admin: pg.Client, grid: Grid<C>): Promise<C[]> {
  const unmade = new Set<Change>();
  const rows: ReadonlySet<string>[] = [];
  const columns: ReadonlySet<string>[] = [];
  for (const row of grid.rows) rows.push(await driftOf(admin, row, unmade));
  for (const column of grid.columns) columns.push(await driftOf(admin, column, unmade));
  const none = new Set<string>();
  // Many changes of the database were tried together in a square, and none of them is on its diagonal. A fact that row
  // 3 and column 3 both report therefore comes from several changes, and proves nothing about one of them.
  const ambiguous = new Set(rows.flatMap((facts, index) => inBoth(facts, columns[index] ?? none)));
  return grid.rows.flatMap((mutants, row) =>
    mutants.filter((mutant) => {
      const column = grid.columns.findIndex((others) => others.includes(mutant));
      const facts = inBoth(rows[row] ?? none, columns[column] ?? none);
      return !unmade.has(mutant) && facts.some((fact) => !ambiguous.has(fact));
    }),
  );
}

/**
 * Makes several changes of the database at once, and returns what the view audit.drift reports. Changes that fail are
 * added to `unmade`.
 */
async function driftOf(
  admin: pg.Client,
  mutants: readonly Change[],
  unmade: Set<Change>,
): Promise<ReadonlySet<string>> {
  await admin.query(`begin; ${LIMITS}`);
  try {
    for (const mutant of mutants) {
      try {
        await admin.query(`savepoint made; ${mutant.sql}`);
      } catch (error) {
        messageOf(error);
        await admin.query('rollback to made');
        unmade.add(mutant);
      }
    }
    return await rowsOf(admin, DRIFT);
  } catch (error) {
    messageOf(error);
    return new Set();
  } finally {
    await admin.query('rollback');
  }
}

async function rowsOf(admin: pg.Client, question: string): Promise<Set<string>> {
  const { rows } = await admin.query({ text: question, rowMode: 'array' });
  return new Set(rows.map((row) => JSON.stringify(row)));
}

/** Returns the message if the error comes from Postgres; throws every other error again. */
function messageOf(error: unknown): string {
  if (error instanceof pg.DatabaseError) return error.message;
  throw error;
}
