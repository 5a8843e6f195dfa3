import type pg from 'pg';
import { GRANTS } from './grants.ts';
import { OBJECTS } from './objects.ts';
import { POLICIES } from './policies.ts';

/** A broken right. */
export interface Mutant {
  readonly kind: string;
  /** The name of the changed object for a reader. */
  readonly object: string;
  /** The table, roles and command of the right; checks whose titles name most of these words run first. */
  readonly hints: readonly string[];
  readonly sql: string;
  /** Restores the right. */
  readonly undo: string;
}

/** Queries of Postgres’s catalogs that return the statements to break and restore each right. */
const KINDS: Readonly<Record<string, string>> = { ...POLICIES, ...GRANTS, ...OBJECTS };

/** Whether the change affects all databases of a server, which share their roles. */
export const isOfTheServer = (kind: string): boolean => kind.startsWith('membership ');

export const MUTANT_KINDS = Object.keys(KINDS);

/** Every broken right of a kind that the migrated database allows. */
export async function mutantsOf(admin: pg.Client, kind: string): Promise<Mutant[]> {
  const text = KINDS[kind];
  if (text === undefined) throw new Error(`there is no kind of change '${kind}': ${MUTANT_KINDS.join(', ')}`);
  const { rows } = await admin.query<Omit<Mutant, 'kind'>>(`${text} order by 1`);
  return rows.map((row) => ({ kind, ...row }));
}
