import { z } from 'zod';
import type { Parameter, Statement } from '../db/statement.ts';
import type { ReadQuery, RecordShape } from '../http/endpoint.ts';
import * as field from '../http/fields.ts';
import { isLeftOut, isNullable } from './column.ts';
import type { Column, Label } from './column.ts';
import { expansionOf } from './expansion.ts';
import type { Expand, Expansion } from './expansion.ts';
import { cellsWriter, jsonWriter } from './json.ts';
import type { Text } from './json.ts';
import { tagOf, timesOf } from './version.ts';

export type Columns = Readonly<Record<string, Column>>;

type Said<C extends Columns, On extends 'onCreate' | 'onChange'> = {
  -readonly [K in keyof C as C[K][On] extends z.ZodType ? K : never]: Extract<C[K][On], z.ZodType>;
};
type Optional<S> = { [K in keyof S]: S[K] extends z.ZodType ? z.ZodOptional<S[K]> : never };

/** A record of the interface, with the pieces of SQL that its statements are written with; its row is called `r`. */
export interface Rec<C extends Columns = Columns> extends RecordShape {
  readonly columns: C;
  /** The bodies of a creation and of a change: what they do not name is refused. */
  readonly newBody: z.ZodObject<Said<C, 'onCreate'>, z.core.$strict>;
  readonly changeBody: z.ZodObject<Optional<Said<C, 'onChange'>>, z.core.$strict>;
  /** After `select` and after `returning`. */
  readonly selected: string;
  /** The columns of an insert, and what is given for each by a body that is laid out as a row `n`. */
  readonly inserted: string;
  readonly given: string;
  /** A body, in a parameter, as the row `n`. */
  laidOut(body: `$${number}`): string;
  /** An array of such bodies, as rows called `n`. */
  allLaidOut(bodies: `$${number}`): string;
  /** After `set`: each column that the body in the parameter names, from `n`; the others stay. */
  changed(body: `$${number}`): string;
  /** A condition: what is fixed is what the body in the parameter says of it, if anything. */
  unmoved(body: `$${number}`): string;
  /** A condition: the version is among those of the parameter, which null leaves open; `versions` gives its value. */
  isVersion(versions: `$${number}`): string;
  versions(ifMatch: readonly string[] | null): Parameter;
  /** The record of an id, with those that it names where `expand` asks for them. */
  byId(id: string, expand?: readonly string[]): ReadQuery;
  /** What a record that names it shows of it, and what it shows of those that it names. */
  readonly label: Label;
  readonly expansion: Expansion;
  /** The query of whoever reads one. */
  readonly reading: z.ZodObject<{ expand: Expand }, z.core.$strict>;
  /** Its deletion. */
  deletion(id: string, ifMatch: readonly string[] | null): Statement;
}

/** The version where it is more than a time: its tag in SQL, and the same tag from the columns as Postgres writes them. */
interface Tag {
  readonly sql: string;
  of(columns: Readonly<Record<string, Text | undefined>>): string;
}

/** One record and what its endpoints take, as the description shows them: from the demonstration, so that they can be tried. */
export interface Examples {
  readonly record: Readonly<Record<string, unknown>>;
  readonly creation?: Readonly<Record<string, unknown>>;
  readonly change?: Readonly<Record<string, unknown>>;
}

interface Options {
  /** The column that tells one version from another, unless `tag` is more than that. */
  readonly version?: string;
  readonly tag?: Tag;
  readonly examples?: Examples;
  /** What it is called by where another record names it, beside its id. */
  readonly label?: readonly string[];
  readonly lookUp?: Label['lookUp'];
}

/**
 * Declares a record, once: its columns in their order, from which come the select list, the columns of insert and
 * update, the JSON, the description and the types.
 */
export function record<const C extends Columns>(
  name: string,
  table: string,
  columns: C,
  { version = 'updated_at', tag, examples, label = [], lookUp }: Options = {},
): Rec<C> {
  const entries = Object.entries<Column>(columns);
  const names = Object.keys(columns);
  const at = names.indexOf(version);
  const inserted = entries.flatMap(([column, { inserted }]) =>
    inserted ? [{ column, given: inserted(column) }] : [],
  );
  const those = (change: Column['change']): string[] =>
    entries.flatMap(([column, one]) => (one.change === change ? [column] : []));
  const selected = lines(
    entries.map(([column, { sql }]) => (sql === undefined ? `r.${column}` : `${sql} as ${column}`)),
  );
  const isVersion = (versions: string): string =>
    tag === undefined
      ? `(${versions}::timestamptz[] is null or r.${version} = any (${versions}))`
      : `(${versions}::text[] is null or ${tag.sql} = any (${versions}))`;
  const versions = (ifMatch: readonly string[] | null): Parameter =>
    ifMatch === null || tag !== undefined ? ifMatch : timesOf(ifMatch);
  const expansion = expansionOf(name, columns);
  const named = Object.entries(expansion.schemas);
  const shown = Object.fromEntries(named.map(([as, schema]) => [as, schema.optional()]));
  const sentBack = Object.fromEntries(named.map(([as, schema]) => [as, field.ignored(schema)]));
  const labelled = entries.filter(([column]) => column === 'id' || label.includes(column));

  // What the example does not name is null in it.
  const left = Object.fromEntries(
    entries.flatMap(([column, { kind }]) =>
      isNullable(kind) && !(column in (examples?.record ?? {})) ? [[column, null]] : [],
    ),
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
    version: tag === undefined ? `r.${version}` : undefined,
    fixed: those('fixed'),
    hasMoves: entries.some(([, { life }]) => life !== undefined),
  };

  return {
    ...shape,
    ...{ columns, selected, isVersion, versions },
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
    inserted: lines(inserted.map(({ column }) => column)),
    given: lines(inserted.map(({ given }) => given)),
    laidOut: (body) => `jsonb_populate_record(null::public.${table}, ${body}::jsonb) as n`,
    allLaidOut: (bodies) => `jsonb_populate_recordset(null::public.${table}, ${bodies}::jsonb) as n`,
    changed: (body) =>
      lines(
        those('set').map(
          (column) =>
            `${column} = case when ${body}::jsonb ? '${column}' then n.${column} else r.${column} end`,
        ),
      ),
    unmoved: (body) =>
      [
        'true',
        ...those('fixed').map((column) => `(not ${body}::jsonb ? '${column}' or r.${column} = n.${column})`),
      ].join(' and '),
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
    byId: (id, expand = []) => {
      const text = `
select ${selected}
from public.${table} as r
where r.id = $1`;
      if (expand.length === 0) return { text, values: [id] };
      return { text: expansion.around(text, expand), values: [id], of: expansion.shape(shape, expand) };
    },
    deletion: (id, ifMatch) => ({
      text: `
delete from public.${table} as r
where r.id = $1 and ${isVersion('$2')}`,
      values: [id, versions(ifMatch)],
    }),
  };
}

/** An object that the description calls by a name. */
function object(id: string, fields: Record<string, z.ZodType>, example?: object): z.ZodObject {
  return z.strictObject(fields).meta({ id, ...(example && { example }) });
}

function lines(texts: readonly string[]): string {
  return texts.map((text) => `\n    ${text}`).join(',');
}

/** Something of each column by its name, without those that have none. */
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
