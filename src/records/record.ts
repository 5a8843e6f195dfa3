import { z } from 'zod';
import type { EndpointReadStatement, RecordShape, Row } from '../http/endpoint.ts';
import * as field from '../http/fields.ts';
import * as column from './column.ts';
import { findColumnEnum, isOmittedWhenNull, isNullable, type Column, type RecordLabel } from './column.ts';
import { createExpansion, type ComputedField, type ExpandParameter, type Expansion } from './expansion.ts';
import { createCsvCellsWriter, createJsonWriter } from './json.ts';
import { buildDerivedComparisons, createRecordStatements, type RecordStatements } from './statements.ts';
import { formatEtag } from './version.ts';

export type RecordColumns = Readonly<Record<string, Column>>;

type BodyRules<C extends RecordColumns, On extends 'onCreate' | 'onChange'> = {
  -readonly [K in keyof C as C[K][On] extends z.ZodType ? K : never]: Extract<C[K][On], z.ZodType>;
};
type OptionalRules<S> = { [K in keyof S]: S[K] extends z.ZodType ? z.ZodOptional<S[K]> : never };

export interface RecordDefinition<C extends RecordColumns = RecordColumns> extends RecordShape, RecordStatements {
  readonly columns: C;
  readonly newBody: z.ZodObject<BodyRules<C, 'onCreate'>, z.core.$strict>;
  readonly changeBody: z.ZodObject<OptionalRules<BodyRules<C, 'onChange'>>, z.core.$strict>;
  byId(id: string, expand?: readonly string[]): EndpointReadStatement;
  readonly label: RecordLabel;
  readonly expansion: Expansion;
  /** Returns the record type, reduced to its id and the given columns. */
  only(fields: readonly string[]): RecordShape;
  /** For a record with a status: the query for the status moves that the caller can make; $1 is the record's id. */
  readonly moves: { readonly of: RecordShape; readonly text: string } | undefined;
  readonly readQuery: z.ZodObject<{ expand: ExpandParameter }, z.core.$strict>;
}

/** The ETag of a record whose ETag is not only a time: as an SQL expression, and as a function of a row. */
interface VersionTag {
  readonly sql: string;
  of(columns: Readonly<Record<string, string | null | undefined>>): string;
}

type RecordExample = Readonly<Record<string, unknown>>;

interface RecordOptions {
  readonly version?: string;
  readonly tag?: VersionTag;
  readonly examples?: Readonly<Record<'record', RecordExample> & Partial<Record<'creation' | 'change', RecordExample>>>;
  readonly label?: readonly string[];
  readonly lookUp?: RecordLabel['lookUp'];
  readonly hasDocuments?: boolean;
  /**
   * The table `table` lists the allowed status moves and the fields that each move needs. `require` is SQL for further
   * fields that a move needs; in this SQL `m` is the move and `r` the record.
   */
  readonly moves?: { readonly table: string; readonly require?: string; readonly hasStepBack?: boolean };
  /** A column that names a record of the same table, which a move of the record locks. */
  readonly lockedByMove?: string;
}

const EXAMPLE_TIME = '2026-01-05T08:00:00.000Z';

export function record<const C extends RecordColumns>(
  name: string,
  table: string,
  columns: C,
  options: RecordOptions = {},
): RecordDefinition<C> {
  const { version = 'updated_at', tag, examples } = options;
  const entries = Object.entries<Column>(columns);
  const statements = createRecordStatements(table, columns, version, tag, options.lockedByMove);
  const status = entries.find(([, { states }]) => states !== undefined)?.[1];
  const moves = status && options.moves && defineMoves(name, table, status, statements, options.moves);
  const expansion = createExpansion(name, columns, moves === undefined ? [] : [moves.computed]);
  const expanded = Object.entries<z.ZodType>(expansion.schemas);
  const said = { ...mapColumns(entries, ({ kind }) => kind.description), ...expansion.said };
  const meta = { 'x-table': table, 'x-said': said };
  const schema = createObjectSchema(
    { id: name, ...meta },
    {
      ...mapColumns(entries, ({ kind }) => kind.output),
      ...Object.fromEntries(expanded.map(([as, schema]) => [as, schema.optional()])),
    },
    examples && completeExample(entries, examples.record),
  );
  const shape = createShape(name, table, entries, schema, options);
  const fixed = entries.flatMap(([column, { onCreate }]) => (onCreate === undefined ? [column] : []));

  return {
    ...shape,
    ...statements,
    columns,
    newBody: createObjectSchema(
      { id: `New${name}`, ...meta, 'x-not-created': [...fixed, ...Object.keys(expansion.schemas)] },
      mapColumns(entries, ({ onCreate }) => onCreate),
      examples?.creation,
    ) as unknown as RecordDefinition<C>['newBody'],
    changeBody: createObjectSchema(
      { id: `${name}Change`, ...meta },
      {
        ...mapColumns(entries, ({ onChange }) => onChange?.optional()),
        ...Object.fromEntries(expanded.map(([as, schema]) => [as, field.ignoredInputSchema(schema)])),
      },
      examples?.change,
    ) as unknown as RecordDefinition<C>['changeBody'],
    label: createLabel(table, entries, { id: `Named${name}`, ...meta }, options),
    expansion,
    moves,
    only: (fields) => pickFields(shape, entries, fields),
    readQuery: z.strictObject(expansion.query),
    byId: (id, expand = []) => ({
      text: expansion.around(
        `
select ${statements.selectList}
from public.${table} as r
where r.id = $1`,
        expand,
      ),
      values: [id],
      ...(expand.length > 0 && { of: expansion.shape(shape, expand) }),
    }),
  };
}

function completeExample(entries: ColumnEntries, example: RecordExample): RecordExample {
  const defaults = entries.flatMap(([column, { kind }]): [string, string | null][] => {
    if (column in example) return [];
    if (kind.type === 'timestamptz' && /^(?:created|updated)_at$/.test(column)) return [[column, EXAMPLE_TIME]];
    return isNullable(kind) ? [[column, null]] : [];
  });
  return { ...example, ...Object.fromEntries(defaults) };
}

function createShape(
  name: string,
  table: string,
  entries: ColumnEntries,
  schema: z.ZodObject,
  { version = 'updated_at', tag, examples, hasDocuments = false }: RecordOptions,
): RecordShape {
  const fields = entries.map(([column]) => column);
  const at = fields.indexOf(version);
  // A trigger advances `updated_at` with every change of the row itself.
  const isOwnVersion = version === 'updated_at' && entries.every(([, { sql, shown = sql }]) => shown === undefined);
  const [write, cells] = createRowWriters(entries);
  return {
    name,
    table,
    formatEtag,
    width: entries.length,
    isAlwaysTagged: entries.some(([column, { kind }]) => column === version && !isNullable(kind)),
    exampleId: examples === undefined ? undefined : String(examples.record['id']),
    schema,
    write,
    cells,
    fields,
    tag: (row) => {
      const time = row[at];
      if (tag !== undefined) return tag.of(Object.fromEntries(fields.map((column, index) => [column, row[index]])));
      return time == null ? undefined : formatEtag(time);
    },
    versionOf: (row) => (isOwnVersion && row[at] != null ? `${String(row[0])} ${row[at]}` : undefined),
    version: tag === undefined ? `r.${version}` : undefined,
    fixed: entries.flatMap(([column, { change }]) => (change === 'fixed' ? [column] : [])),
    derived: buildDerivedComparisons(Object.fromEntries(entries)),
    hasMoves: entries.some(([, { states }]) => states !== undefined),
    hasDocuments,
  };
}

function createLabel(
  table: string,
  entries: ColumnEntries,
  meta: z.GlobalMeta,
  { label = [], lookUp }: RecordOptions,
): RecordLabel {
  const columns = entries.filter(([column]) => column === 'id' || label.includes(column));
  return {
    table,
    lookUp,
    name: label.length === 1 || lookUp !== undefined ? label.at(-1) : undefined,
    schema: createObjectSchema(
      meta,
      mapColumns(columns, ({ kind }) => kind.output),
    ),
    kinds: mapColumns(columns, ({ kind }) => kind),
  };
}

function pickFields(shape: RecordShape, entries: ColumnEntries, fields: readonly string[]): RecordShape {
  const chosen = entries.filter(([column]) => column === 'id' || fields.includes(column));
  const places = chosen.map(([column]) => shape.fields.indexOf(column));
  const pick = (row: Row): Row => places.map((place) => row[place] ?? null);
  const [write, cells] = createRowWriters(chosen);
  return {
    ...shape,
    fields: chosen.map(([column]) => column),
    write: (row) => write(pick(row)),
    cells: (row) => cells(pick(row)),
    versionOf: () => undefined,
  };
}

type ColumnEntries = readonly (readonly [string, Column])[];

function createRowWriters(entries: ColumnEntries) {
  const omitted = entries.flatMap(([column, { kind }]) => (isOmittedWhenNull(kind) ? [column] : []));
  const writers = mapColumns(entries, ({ kind }) => kind.toJson);
  return [createJsonWriter(writers, omitted), createCsvCellsWriter(Object.values(writers))] as const;
}

function defineMoves(
  name: string,
  table: string,
  { kind }: Column,
  { selectList }: RecordStatements,
  rules: NonNullable<RecordOptions['moves']>,
) {
  const of = record(`Possible${name}Move`, rules.table, {
    status: column.readOnlyWithDescription(
      column.enumText(findColumnEnum(kind) ?? z.enum([])),
      'Status after the move.',
      'm.status',
    ),
    requires: column.readOnlyWithDescription(
      column.textArray,
      'Fields that the move requires and the record does not have yet. Send them together with the status.',
      'm.requires',
    ),
    ...(rules.hasStepBack && {
      is_correction: column.readOnlyWithDescription(
        column.boolean,
        'True for a step back, which returns to the previous status because the last move was a mistake.',
        'm.is_correction',
      ),
    }),
  });
  const sql = `
    select m.to_status as status, app.missing(m.requires, to_jsonb(r) - 'status_reason') || ${rules.require ?? `'{}'::text[]`} as requires${rules.hasStepBack ? ', m.is_correction' : ''}
    from app.moves('${table}', r.status, to_jsonb(r)) as m`;
  const computed: ComputedField = {
    as: 'moves',
    kind: column.json(z.array(of.schema)),
    sql: `select coalesce(jsonb_agg(p), '[]') from (${sql}) as p`,
    description: 'Moves that the caller can make now, as in `GET …/moves`, if requested with `expand`.',
  };
  const text = `
select ${of.fields.map((name) => `m.${name}`).join(', ')}
from (
    select ${selectList}
    from public.${table} as r
    where r.id = $1
) as r
cross join lateral (${sql}
) as m`;
  return { of, text, computed };
}

/** Makes the schema of a body or a response; `describeFields` later reads `x-table` and `x-said` from `meta`. */
function createObjectSchema(meta: z.GlobalMeta, fields: Record<string, z.ZodType>, example?: object): z.ZodObject {
  return z.strictObject(fields).meta({ ...meta, ...(example && { example }) });
}

function mapColumns<T>(columns: ColumnEntries, of: (column: Column) => T | undefined): Record<string, T> {
  return Object.fromEntries(
    columns.flatMap(([name, column]) => {
      const one = of(column);
      return one === undefined ? [] : [[name, one]];
    }),
  );
}
