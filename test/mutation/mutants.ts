import type pg from 'pg';
import { GRANTS } from './grants.ts';
import { OBJECTS } from './objects.ts';
import { POLICIES } from './policies.ts';

/** SQL that changes a right in the database as a mistake might, and SQL that restores the right. */
export interface Mutant {
  readonly kind: string;
  /** The name of the object whose right is changed, by which a person recognises it in the report. */
  readonly object: string;
  /**
   * The table, the roles and the command of the changed right. The policy checks whose titles have most of these words
   * run first.
   */
  readonly hints: readonly string[];
  readonly sql: string;
  readonly undo: string;
}

/**
 * Kinds of changes to rights, by name. Each is a query whose rows have the SQL that changes a right and the SQL that
 * restores it.
 */
const KINDS: Readonly<Record<string, string>> = { ...POLICIES, ...GRANTS, ...OBJECTS };

/** True if the change affects all databases of the Postgres server, as a change of a role does. */
export const isOfTheServer = (kind: string): boolean => kind.startsWith('membership ');

export const MUTANT_KINDS = Object.keys(KINDS);

/** Returns every change of the given kind that is possible in the migrated database. */
export async function mutantsOf(admin: pg.Client, kind: string): Promise<Mutant[]> {
  const text = KINDS[kind];
  if (text === undefined) throw new Error(`there is no kind of change '${kind}': ${MUTANT_KINDS.join(', ')}`);
  const { rows } = await admin.query<Omit<Mutant, 'kind'>>(`${text} order by 1`);
  return rows.map((row) => ({ kind, ...row }));
}
