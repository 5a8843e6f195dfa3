import { z } from 'zod';
import type { ReadQuery, RecordShape, Row } from '../http/endpoint.ts';
import * as field from '../http/fields.ts';
import * as column from './column.ts';
import { enumOf, isLeftOut, isNullable, type Column, type Label } from './column.ts';
import { expansionOf, type Computed, type Expand, type Expansion } from './expansion.ts';
import { cellsWriter, jsonWriter } from './json.ts';
import { statementsOf, type Statements } from './statements.ts';
import { tagOf } from './version.ts';

export type Columns = Readonly<Record<string, Column>>;

type Said<C extends Columns, On extends 'onCreate' | 'onChange'> = {
  -readonly [K in keyof C as C[K][On] extends z.ZodType ? K : never]: Extract<C[K][On], z.ZodType>;
};
type Optional<S> = { [K in keyof S]: S[K] extends z.ZodType ? z.ZodOptional<S[K]> : never };

export interface Rec<C extends Columns = Columns> extends RecordShape, Statements {
  readonly columns: C;
  readonly newBody: z.ZodObject<Said<C, 'onCreate'>, z.core.$strict>;
  readonly changeBody: z.ZodObject<Optional<Said<C, 'onChange'>>, z.core.$strict>;
  byId(id: string, expand?: readonly string[]): ReadQuery;
  readonly label: Label;
  readonly expansion: Expansion;
  /** The same record type, reduced to its id and the given columns. */
  only(fields: readonly string[]): RecordShape;
  /** For a record with a status: the query, by its id, for the moves that the caller can make. */
  readonly moves: { readonly of: RecordShape; readonly text: string } | undefined;
  readonly reading: z.ZodObject<{ expand: Expand }, z.core.$strict>;
}

/** The ETag of a record whose version is more than a time: in SQL, and computed from a row. */
interface Tag {
  readonly sql: string;
  of(columns: Readonly<Record<string, string | null | undefined>>): string;
}

type Example = Readonly<Record<string, unknown>>;

interface Options {
  readonly version?: string;
  readonly tag?: Tag;
  readonly examples?: Readonly<Record<'record', Example> & Partial<Record<'creation' | 'change', Example>>>;
  readonly label?: readonly string[];
  readonly lookUp?: Label['lookUp'];
  readonly hasDocuments?: boolean;
  /** The table of the moves, and in SQL the fields that a move `m` of a record `r` needs besides those of the table. */
  readonly moves?: { readonly table: string; readonly require?: string };
}

const FILLED = '2026-01-05T08:00:00Z';

export function record<const C extends Columns>(
  name: string,
  table: string,
  columns: C,
  options: Options = {},
): Rec<C> {
  const { version = 'updated_at', tag, examples, label = [], lookUp, hasDocuments = false } = options;
  const entries = Object.entries<Column>(columns);
  const names = Object.keys(columns);
  const at = names.indexOf(version);
  // A trigger advances `updated_at` with every change of the row itself.
  const isOfRow = version === 'updated_at' && entries.every(([, { sql }]) => sql === undefined);
  const statements = statementsOf(table, columns, version, tag);
  const status = entries.find(([, { states }]) => states !== undefined)?.[1];
  const moves = status && options.moves && movesOf(name, table, status, statements, options.moves);
  const expansion = expansionOf(name, columns, moves === undefined ? [] : [moves.expanded]);
  const named = Object.entries<z.ZodType>(expansion.schemas);
  const shown = Object.fromEntries(named.map(([as, schema]) => [as, schema.optional()]));
  const sentBack = Object.fromEntries(named.map(([as, schema]) => [as, field.ignoredInput(schema)]));
  const said = { ...mapped(entries, ({ kind }) => kind.says), ...expansion.said };
  const described = { 'x-table': table, 'x-said': said };
  const labelled = entries.filter(([column]) => column === 'id' || label.includes(column));

  const left = Object.fromEntries(
    entries.flatMap(([column, { kind }]): [string, string | null][] => {
      if (column in (examples?.record ?? {})) return [];
      if (kind.type === 'timestamptz' && /^(?:created|updated)_at$/.test(column)) return [[column, FILLED]];
      return isNullable(kind) ? [[column, null]] : [];
    }),
  );

  const [write, cells] = writersOf(entries);
  const shape: RecordShape = {
    ...{ name, table, tagOf },
    width: entries.length,
    isAlwaysTagged: entries.some(([column, { kind }]) => column === version && !isNullable(kind)),
    exampleId: examples === undefined ? undefined : String(examples.record['id']),
    schema: object(
      { id: name, ...described },
      { ...mapped(entries, ({ kind }) => kind.output), ...shown },
      examples && { ...examples.record, ...left },
    ),
    ...{ write, cells, fields: names },
    tag: (row) => {
      const time = row[at];
      if (tag !== undefined)
        return tag.of(Object.fromEntries(names.map((column, index) => [column, row[index]])));
      return time == null ? undefined : tagOf(time);
    },
    versionOf: (row) => (isOfRow && row[at] != null ? `${String(row[0])} ${row[at]}` : undefined),
    version: tag === undefined ? `r.${version}` : undefined,
    fixed: entries.flatMap(([column, { change }]) => (change === 'fixed' ? [column] : [])),
    hasMoves: entries.some(([, { states }]) => states !== undefined),
    hasDocuments,
  };

  return {
    ...shape,
    ...statements,
    columns,
    newBody: object(
      { id: `New${name}`, ...described },
      { ...mapped(entries, ({ onCreate }) => onCreate), ...sentBack },
      examples?.creation,
    ) as unknown as Rec<C>['newBody'],
    changeBody: object(
      { id: `${name}Change`, ...described },
      { ...mapped(entries, ({ onChange }) => onChange?.optional()), ...sentBack },
      examples?.change,
    ) as unknown as Rec<C>['changeBody'],
    label: {
      ...{ table, lookUp },
      ...{ name: label.length === 1 || lookUp !== undefined ? label.at(-1) : undefined },
      schema: object(
        { id: `Named${name}`, ...described },
        mapped(labelled, ({ kind }) => kind.output),
      ),
      kinds: mapped(labelled, ({ kind }) => kind),
    },
    expansion,
    moves,
    only: (fields) => {
      const kept = entries.filter(([column]) => column === 'id' || fields.includes(column));
      const places = kept.map(([column]) => names.indexOf(column));
      const picked = (row: Row): Row => places.map((place) => row[place] ?? null);
      const [write, cells] = writersOf(kept);
      return {
        ...{ ...shape, fields: kept.map(([column]) => column) },
        ...{ write: (row) => write(picked(row)), cells: (row) => cells(picked(row)) },
      };
    },
    reading: z.strictObject(expansion.query),
    byId: (id, expand = []) => ({
      text: expansion.around(
        `
select ${statements.selected}
from public.${table} as r
where r.id = $1`,
        expand,
      ),
      values: [id],
      ...(expand.length > 0 && { of: expansion.shape(shape, expand) }),
    }),
  };
}

type Entries = readonly (readonly [string, Column])[];

function writersOf(entries: Entries) {
  const leftOut = entries.flatMap(([column, { kind }]) => (isLeftOut(kind) ? [column] : []));
  const write = jsonWriter(
    mapped(entries, ({ kind }) => kind.toJson),
    leftOut,
  );
  return [write, cellsWriter(entries.map(([, { kind }]) => kind.toJson))] as const;
}

/** The moves that the caller can make with a record; the database checks moves against the same tables. */
function movesOf(
  name: string,
  table: string,
  { kind }: Column,
  { selected }: Statements,
  rules: NonNullable<Options['moves']>,
) {
  const of = record(`Possible${name}Move`, rules.table, {
    status: column.said(column.words(enumOf(kind) ?? z.enum([])), 'The status after the move.', 'm.status'),
    requires: column.said(
      column.names,
      'The fields that the move needs and the record does not have yet: they are given along with the status.',
      'm.requires',
    ),
  });
  const sql = `
    select m.to_status as status, app.missing(m.requires, to_jsonb(r)) || ${rules.require ?? `'{}'::text[]`} as requires
    from app.moves('${table}', r.status) as m`;
  const expanded: Computed = {
    ...{ as: 'moves', kind: column.json(z.array(of.schema)) },
    sql: `select coalesce(jsonb_agg(p), '[]') from (${sql}) as p`,
    says: 'What GET …/moves says of the record, where it is asked for.',
  };
  const text = `
select m.status, m.requires
from (
    select ${selected}
    from public.${table} as r
    where r.id = $1
) as r
cross join lateral (${sql}
) as m`;
  return { of, text, expanded };
}

/** `x-table` and `x-said` are for `describeFields`. */
function object(meta: z.GlobalMeta, fields: Record<string, z.ZodType>, example?: object): z.ZodObject {
  return z.strictObject(fields).meta({ ...meta, ...(example && { example }) });
}

function mapped<T>(columns: Entries, of: (column: Column) => T | undefined): Record<string, T> {
  return Object.fromEntries(
    columns.flatMap(([name, column]) => {
      const one = of(column);
      return one === undefined ? [] : [[name, one]];
    }),
  );
}
