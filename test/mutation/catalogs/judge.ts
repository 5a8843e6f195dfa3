import pg from 'pg';
import { sqlState } from '../../../src/db/errors.ts';
import { isOfAnotherSuite } from '../../support/durability.ts';
import type { Found } from '../../support/durability.ts';
import { type Grid, inGrids, shared } from './grid.ts';
import { type CatalogMutant, type Change, catalogMutantsOf } from './kinds.ts';

/** Who says that something is changed, or that it cannot be; an error of the audit itself says so too. */
export const SPEAKERS = ['drift', 'findings', 'an error of the audit', 'Postgres, which refuses it'] as const;

export type Verdict =
  | { readonly by: (typeof SPEAKERS)[number] }
  | { readonly survived: 'unseen' | 'not made'; readonly message?: string };

export type Judged<C extends Change = CatalogMutant> = ReadonlyMap<C, Verdict>;

/** One database in which mutants are made and taken back. */
export interface Judge {
  readonly admin: pg.Client;
  mutantsOf(kind: string): Promise<readonly CatalogMutant[]>;
  judge<C extends Change>(mutants: readonly C[]): Promise<Judged<C>>;
  /** What is said of the database as it is now. */
  ask(): Promise<Verdict>;
  /** @throws when something is not as it was before the first mutant. */
  assertMended(): Promise<void>;
  close(): Promise<void>;
}

/** Of a statement that is not for such an object, as a partition, or not while another depends on it. */
const NOT_FOR_SUCH = ['42809', '42P16', '0A000', '2BP01'];

/** How long one that waits for a lock or never ends may take before it counts as not made. */
const LIMITS = `set local lock_timeout = '30s'; set local statement_timeout = '120s'`;

const DRIFT = 'select kind, object, md5(present) as present from audit.drift';
const FINDINGS = 'select finding, object from audit.findings';

/** Without the logins of other suites, which come and go on the same server. */
async function findingsOf(admin: pg.Client): Promise<string[]> {
  const { rows } = await admin.query<Found>(FINDINGS);
  return rows
    .filter(({ object }) => !isOfAnotherSuite(object, String(admin.database)))
    .map(({ finding, object }) => JSON.stringify([finding, object]));
}

export async function openJudge(adminUrl: string): Promise<Judge> {
  // Names are written out in full, whatever stands in public, and nothing of it is kept.
  const options = '-c search_path= -c jit=off -c synchronous_commit=off';
  const admin = new pg.Client({ connectionString: adminUrl, options });
  // A mutant that ends the session is told by the statement that it ended.
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

/** The mutants of which drift certainly says something. The others are to be asked about one by one. */
async function detectedInGrid<C extends Change>(admin: pg.Client, grid: Grid<C>): Promise<C[]> {
  const unmade = new Set<Change>();
  const rows: ReadonlySet<string>[] = [];
  const columns: ReadonlySet<string>[] = [];
  for (const row of grid.rows) rows.push(await driftOf(admin, row, unmade));
  for (const column of grid.columns) columns.push(await driftOf(admin, column, unmade));
  const none = new Set<string>();
  // Where nothing stands nothing may be seen: what is seen there all the same is several mutants' doing.
  const ambiguous = new Set(rows.flatMap((facts, index) => shared(facts, columns[index] ?? none)));
  return grid.rows.flatMap((mutants, row) =>
    mutants.filter((mutant) => {
      const column = grid.columns.findIndex((others) => others.includes(mutant));
      const facts = shared(rows[row] ?? none, columns[column] ?? none);
      return !unmade.has(mutant) && facts.some((fact) => !ambiguous.has(fact));
    }),
  );
}

/** What drift says of some mutants together. What cannot be made beside the others is noted. */
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

/** What Postgres says; anything else is no matter of the mutant. */
function messageOf(error: unknown): string {
  if (error instanceof pg.DatabaseError) return error.message;
  throw error;
}
