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

/** A test change of one database object, made in a transaction that the proof rolls back. */
export interface Change {
  readonly kind: string;
  /** The name of the object that a test change changes, for a person who reads the proof’s report. */
  readonly object: string;
  readonly sql: string;
}

export interface CatalogMutant extends Change {
  /** The catalog and oid of the object that a test change changes, or only the catalog if the change creates it. */
  readonly covers: string;
}

/** Kinds of test change that write rows of the whole server, so that such changes run one after the other. */
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

/** Every test change of one kind that is possible in the migrated database. */
export async function catalogMutantsOf(admin: pg.Client, kind: string): Promise<CatalogMutant[]> {
  const text = KINDS.get(kind);
  if (text === undefined) throw new Error(`there is no kind of change '${kind}': ${CATALOG_KINDS.join(', ')}`);
  const { rows } = await admin.query<Omit<CatalogMutant, 'kind'>>(`${text} order by 1, 3`);
  // The proof mutation makes several changes at once, so the name of a new object ends with the change’s number.
  return rows.map(({ sql, ...row }, index) => ({
    kind,
    ...row,
    sql: sql.replaceAll('_#', `_${String(index)}`),
  }));
}
