import type pg from 'pg';
import { GRANTS } from './grants.ts';
import { OBJECTS } from './objects.ts';
import { POLICIES } from './policies.ts';

/** One right broken in one way. */
export interface Mutant {
  readonly kind: string;
  /** The object that is broken, as a person would name it. */
  readonly object: string;
  /** What it is about: the table, the roles, the command. The checks that name most of it are tried first. */
  readonly hints: readonly string[];
  readonly sql: string;
  /** Makes everything as it was. */
  readonly undo: string;
}

/** What can be broken, each as a query of the catalog that writes the statements which break and mend it. */
const KINDS: Readonly<Record<string, string>> = { ...POLICIES, ...GRANTS, ...OBJECTS };

/** Roles are shared by all databases of a server. */
export const isOfTheServer = (kind: string): boolean => kind.startsWith('membership ');

export const MUTANT_KINDS = Object.keys(KINDS);

/** Every mutant of a kind that the database as it is can have. */
export async function mutantsOf(admin: pg.Client, kind: string): Promise<Mutant[]> {
  const text = KINDS[kind];
  if (text === undefined) throw new Error(`there is no kind of mutant '${kind}': ${MUTANT_KINDS.join(', ')}`);
  const { rows } = await admin.query<Omit<Mutant, 'kind'>>(`${text} order by 1`);
  return rows.map((row) => ({ kind, ...row }));
}
