import type { CatalogMutant } from './kinds.ts';

/** Changes of the database that db:audit need not report, each kind with the reason. */
interface Excuse {
  readonly kinds: readonly string[];
  /**
   * The audit need not report this kind of change to an object whose name matches this pattern. Without a pattern, this
   * is true for all objects.
   */
  readonly object?: RegExp;
  readonly reason: string;
}

const EXCUSES: readonly Excuse[] = [
  {
    kinds: ['constraint that is not inherited'],
    object: /_not_null of /,
    reason:
      'only Postgres 18 has a row for NOT NULL, and the column matters only to child tables: a child table is drift itself',
  },
  {
    kinds: ['index to cluster by', 'table clustered by an index'],
    reason: 'CLUSTER, a DBA’s ordinary action, sets this value; it says in which order the rows once lay',
  },
  {
    kinds: [
      ...['table that is not cleaned by itself', 'table with a fill factor', 'index with a fill factor'],
      ...['column with another statistics target', 'index with a statistics target', 'column with options'],
      ...['column compressed otherwise', 'function with another cost', 'function with other rows'],
      ...['index added', 'database with a limit of connections'],
    ],
    reason: 'a DBA’s ordinary action, which changes no row; unique indexes and indexes of expressions are other kinds',
  },
  {
    kinds: ['index renamed'],
    object: /_idx$/,
    reason: 'a DBA’s ordinary action: nothing refers to the name of an index that is not unique',
  },
  {
    kinds: ['setting stored for every role', 'setting stored for the database'],
    object: /^quote_all_identifiers$/,
    reason: 'a DBA’s ordinary action, and the audit sets this value for itself; the same setting of a role is drift',
  },
  {
    kinds: ['type closed'],
    reason: 'revokes the use of a row type in definitions; a role needs no such right to read or write the table',
  },
  {
    kinds: ['login in one of Postgres’s roles'],
    object: /^pg_(checkpoint|use_reserved_connections)$/,
    reason: 'gives a checkpoint or a connection, and no row',
  },
  {
    kinds: ['large object added'],
    reason: 'only a superuser creates large objects, and the finding large_objects reports a right to create one',
  },
  {
    kinds: ['role with a password'],
    reason: 'only a superuser sees whether a role has a password, and a role without LOGIN cannot use a password',
  },
];

export const isExcused = ({ kind, object }: CatalogMutant): boolean =>
  EXCUSES.some((excuse) => excuse.kinds.includes(kind) && (excuse.object?.test(object) ?? true));
