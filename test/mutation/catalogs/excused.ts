import type { CatalogMutant } from './kinds.ts';

/** A change that may go unseen, and why that is right. */
interface Excuse {
  readonly kind: string;
  /** The objects that it is about; all of the kind when absent. */
  readonly object?: RegExp;
  readonly reason: string;
}

const EXCUSES: readonly Excuse[] = [
  {
    kind: 'constraint that is not inherited',
    object: /_not_null of /,
    reason:
      'NOT NULL has a row of its own since Postgres 18 alone, and what inherits nothing has no one to inherit from it:' +
      ' a table that inherits from one of the house is drift',
  },
  ...['index to cluster by', 'table clustered by an index'].map((kind) => ({
    kind,
    reason: 'CLUSTER, a DBA’s ordinary work, leaves it behind; it says in which order rows lay once',
  })),
  ...[
    'table that is not cleaned by itself',
    'table with a fill factor',
    'index with a fill factor',
    'column with another statistics target',
    'index with a statistics target',
    'statistics object added',
    'index added',
    'database with a limit of connections',
  ].map((kind) => ({
    kind,
    reason:
      'a DBA’s ordinary work: how rows are stored, counted, found and how many may ask for them changes none; an index' +
      ' that demands something of the rows, or computes anything of them, is another kind',
  })),
  ...['setting stored for every role', 'setting stored for the database'].map((kind) => ({
    kind,
    object: /^quote_all_identifiers$/,
    reason: 'a DBA’s ordinary work: how names are printed; the audit sets it for itself, and one of a role is drift',
  })),
  {
    kind: 'type closed',
    reason: 'takes from everybody the use of a row type in definitions; who reads or writes the table needs it not',
  },
  {
    kind: 'login in one of Postgres’s roles',
    object: /^pg_(checkpoint|use_reserved_connections)$/,
    reason: 'a checkpoint or a place to connect, and no row',
  },
  {
    kind: 'large object added',
    reason: 'contents and no structure: nobody but a superuser makes any, which audit.findings (large_objects) holds',
  },
  {
    kind: 'role with a password',
    reason:
      'nobody but a superuser can see whether a role has a password, and it opens nothing to a role that may not log in',
  },
];

export const isExcused = ({ kind, object }: CatalogMutant): boolean =>
  EXCUSES.some((excuse) => excuse.kind === kind && (excuse.object?.test(object) ?? true));
