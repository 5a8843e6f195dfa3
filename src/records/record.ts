import { z } from 'zod';
import type { ReadQuery, RecordShape } from '../http/endpoint.ts';
import * as field from '../http/fields.ts';
import { isLeftOut, isNullable, type Column, type Label } from './column.ts';
import { expansionOf, type Expand, type Expansion } from './expansion.ts';
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
  readonly reading: z.ZodObject<{ expand: Expand }, z.core.$strict>;
}

/** The ETag of a record whose version is more than a time: in SQL, and from the columns as Postgres writes them. */
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
}

const FILLED = '2026-01-05T08:00:00Z';

export function record<const C extends Columns>(
  name: string,
  table: string,
  columns: C,
  { version = 'updated_at', tag, examples, label = [], lookUp, hasDocuments = false }: Options = {},
): Rec<C> {
  const entries = Object.entries<Column>(columns);
  const names = Object.keys(columns);
  const at = names.indexOf(version);
  // A trigger moves `updated_at` with every change of the row itself.
  const isOfRow = version === 'updated_at' && entries.every(([, { sql }]) => sql === undefined);
  const statements = statementsOf(table, columns, version, tag);
  const expansion = expansionOf(name, columns);
  const named = Object.entries(expansion.schemas);
  const shown = Object.fromEntries(named.map(([as, schema]) => [as, schema.optional()]));
  const sentBack = Object.fromEntries(named.map(([as, schema]) => [as, field.ignored(schema)]));
  const labelled = entries.filter(([column]) => column === 'id' || label.includes(column));

  const left = Object.fromEntries(
    entries.flatMap(([column, { kind }]): [string, string | null][] => {
      if (column in (examples?.record ?? {})) return [];
      if (kind.type === 'timestamptz' && /^(?:created|updated)_at$/.test(column)) return [[column, FILLED]];
      return isNullable(kind) ? [[column, null]] : [];
    }),
  );

  const shape: RecordShape = {
    ...{ name, table, tagOf },
    width: entries.length,
    isAlwaysTagged: entries.some(([column, { kind }]) => column === version && !isNullable(kind)),
    exampleId: examples === undefined ? undefined : String(examples.record['id']),
    schema: object(
      name,
      { ...mapped(entries, ({ kind }) => kind.output), ...shown },
      examples && { ...examples.record, ...left },
    ),
    write: jsonWriter(
      mapped(entries, ({ kind }) => kind.toJson),
      entries.flatMap(([column, { kind }]) => (isLeftOut(kind) ? [column] : [])),
    ),
    fields: names,
    cells: cellsWriter(entries.map(([, { kind }]) => kind.toJson)),
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
      `New${name}`,
      { ...mapped(entries, ({ onCreate }) => onCreate), ...sentBack },
      examples?.creation,
    ) as unknown as Rec<C>['newBody'],
    changeBody: object(
      `${name}Change`,
      { ...mapped(entries, ({ onChange }) => onChange?.optional()), ...sentBack },
      examples?.change,
    ) as unknown as Rec<C>['changeBody'],
    label: {
      ...{ table, lookUp },
      schema: object(
        `Named${name}`,
        mapped(labelled, ({ kind }) => kind.output),
      ),
      kinds: mapped(labelled, ({ kind }) => kind),
    },
    expansion,
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

function object(id: string, fields: Record<string, z.ZodType>, example?: object): z.ZodObject {
  return z.strictObject(fields).meta({ id, ...(example && { example }) });
}

function mapped<T>(
  columns: readonly (readonly [string, Column])[],
  of: (column: Column) => T | undefined,
): Record<string, T> {
  return Object.fromEntries(
    columns.flatMap(([name, column]) => {
      const one = of(column);
      return one === undefined ? [] : [[name, one]];
    }),
  );
}
