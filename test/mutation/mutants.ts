import type pg from 'pg';
import { GRANTS } from './grants.ts';
import { OBJECTS } from './objects.ts';
import { POLICIES } from './policies.ts';

/** SQL that breaks a right in the database, and the SQL that restores the right. */
export interface Mutant {
  readonly kind: string;
  /** The name of the object whose right is broken, for a person who reads the proof’s report. */
  readonly object: string;
  /**
   * The table, roles and command of the broken right. The policy checks whose titles contain most of these words run
   * first.
   */
  readonly hints: readonly string[];
  readonly sql: string;
  /** The SQL that restores the broken right. */
  readonly undo: string;
}

/** Kinds of broken rights by name: queries that return the statements to break and restore each right. */
const KINDS: Readonly<Record<string, string>> = { ...POLICIES, ...GRANTS, ...OBJECTS };

/** Whether breaking the right affects all databases of a server, because roles belong to the whole server. */
export const isOfTheServer = (kind: string): boolean => kind.startsWith('membership ');

export const MUTANT_KINDS = Object.keys(KINDS);

/** Every way to break a right of the given kind that is possible in the migrated database. */
export async function mutantsOf(admin: pg.Client, kind: string): Promise<Mutant[]> {
  const text = KINDS[kind];
  if (text === undefined) throw new Error(`there is no kind of change '${kind}': ${MUTANT_KINDS.join(', ')}`);
  const { rows } = await admin.query<Omit<Mutant, 'kind'>>(`${text} order by 1`);
  return rows.map((row) => ({ kind, ...row }));
}
