import type pg from 'pg';
import { BUILT_IN } from './built-in.ts';
import { COLUMNS } from './columns.ts';
import { CONSTRAINTS } from './constraints.ts';
import { FUNCTIONS } from './functions.ts';
import { GRANTS } from './grants.ts';
import { INDEXES } from './indexes.ts';
import { POLICIES } from './policies.ts';
import { ROLES } from './roles.ts';
import { RULES } from './rules.ts';
import { SCHEMAS } from './schemas.ts';
import { SEQUENCES } from './sequences.ts';
import { SETTINGS } from './settings.ts';
import { SURROUNDINGS } from './surroundings.ts';
import { TABLES } from './tables.ts';
import { TRIGGERS } from './triggers.ts';
import { TYPES } from './types.ts';
import { VIEWS } from './views.ts';

/** A change of one database object, which a test makes in a transaction and rolls back. */
export interface Change {
  readonly kind: string;
  /** The name of the changed object, by which a person recognises it in the test’s report. */
  readonly object: string;
  readonly sql: string;
}

export interface CatalogMutant extends Change {
  /**
   * The Postgres catalog of the changed object, and the object’s oid. If the change creates an object, only the
   * catalog.
   */
  readonly covers: string;
}

/**
 * Kinds of changes that affect the whole Postgres server, for example roles. Two such changes must not run at the same
 * time.
 */
const OF_THE_SERVER = [ROLES, SETTINGS, SURROUNDINGS];

const OF_THE_DATABASE = [
  TABLES,
  COLUMNS,
  CONSTRAINTS,
  TRIGGERS,
  RULES,
  VIEWS,
  INDEXES,
  POLICIES,
  FUNCTIONS,
  TYPES,
  SEQUENCES,
  SCHEMAS,
  GRANTS,
  BUILT_IN,
];

const KINDS = new Map<string, string>();
for (const [kind, text] of [...OF_THE_SERVER, ...OF_THE_DATABASE].flatMap((kinds) => Object.entries(kinds))) {
  if (KINDS.has(kind)) throw new Error(`two kinds of change are called '${kind}'`);
  KINDS.set(kind, text);
}

export const CATALOG_KINDS = [...KINDS.keys()];

export const isOfTheServer = (kind: string): boolean => OF_THE_SERVER.some((kinds) => kind in kinds);

/** Returns every change of one kind that is possible in the migrated database. */
export async function catalogMutantsOf(admin: pg.Client, kind: string): Promise<CatalogMutant[]> {
  const text = KINDS.get(kind);
  if (text === undefined) throw new Error(`there is no kind of change '${kind}': ${CATALOG_KINDS.join(', ')}`);
  const { rows } = await admin.query<Omit<CatalogMutant, 'kind'>>(`${text} order by 1, 3`);
  // Several changes are made at once, so the name of each new object ends with the number of its change.
  return rows.map(({ sql, ...row }, index) => ({
    kind,
    ...row,
    sql: sql.replaceAll('_#', `_${String(index)}`),
  }));
}
