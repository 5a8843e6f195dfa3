import { z } from 'zod';
import type { EndpointReadStatement, RecordShape, Row } from '../http/endpoint.ts';
import * as field from '../http/fields.ts';
import * as column from './column.ts';
import { findColumnEnum, isOmittedWhenNull, isNullable, type Column, type RecordLabel } from './column.ts';
import { createExpansion, type ComputedField, type ExpandParameter, type Expansion } from './expansion.ts';
import { createCsvCellsWriter, createJsonWriter } from './json.ts';
import { createRecordStatements, type RecordStatements } from './statements.ts';
import { tagOf } from './version.ts';

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
  readonly moves?: { readonly table: string; readonly require?: string };
}

const EXAMPLE_TIME = '2026-01-05T08:00:00Z';

export function record<const C extends RecordColumns>(
  name: string,
  table: string,
  columns: C,
  options: RecordOptions = {},
): RecordDefinition<C> {
  const { version = 'updated_at', tag, examples, label = [], lookUp, hasDocuments = false } = options;
  const columnEntries = Object.entries<Column>(columns);
  const columnNames = Object.keys(columns);
  const at = columnNames.indexOf(version);
  // A trigger advances `updated_at` with every change of the row itself.
  const isVersionOfRow =
    version === 'updated_at' && columnEntries.every(([, { sql, shown = sql }]) => shown === undefined);
  const rowStatements = createRecordStatements(table, columns, version, tag);
  const statusColumn = columnEntries.find(([, { states }]) => states !== undefined)?.[1];
  const moves =
    statusColumn && options.moves && buildStatusMovesQuery(name, table, statusColumn, rowStatements, options.moves);
  const expansion = createExpansion(name, columns, moves === undefined ? [] : [moves.computedMoves]);
  const expansionSchemas = Object.entries<z.ZodType>(expansion.schemas);
  const optionalExpansions = Object.fromEntries(expansionSchemas.map(([as, schema]) => [as, schema.optional()]));
  const ignoredExpansions = Object.fromEntries(
    expansionSchemas.map(([as, schema]) => [as, field.ignoredInputSchema(schema)]),
  );
  const fieldDescriptions = {
    ...mapColumns(columnEntries, ({ kind }) => kind.description),
    ...expansion.said,
  };
  const schemaMeta = { 'x-table': table, 'x-said': fieldDescriptions };
  const labelColumns = columnEntries.filter(([column]) => column === 'id' || label.includes(column));

  const exampleDefaults = Object.fromEntries(
    columnEntries.flatMap(([column, { kind }]): [string, string | null][] => {
      if (column in (examples?.record ?? {})) return [];
      if (kind.type === 'timestamptz' && /^(?:created|updated)_at$/.test(column)) return [[column, EXAMPLE_TIME]];
      return isNullable(kind) ? [[column, null]] : [];
    }),
  );

  const notCreatedFields = [
    ...columnEntries.flatMap(([column, { onCreate }]) => (onCreate === undefined ? [column] : [])),
    ...Object.keys(expansion.schemas),
  ];

  const [write, cells] = createRowWriters(columnEntries);
  const rowShape: RecordShape = {
    ...{ name, table, tagOf },
    width: columnEntries.length,
    isAlwaysTagged: columnEntries.some(([column, { kind }]) => column === version && !isNullable(kind)),
    exampleId: examples === undefined ? undefined : String(examples.record['id']),
    schema: createObjectSchema(
      { id: name, ...schemaMeta },
      { ...mapColumns(columnEntries, ({ kind }) => kind.output), ...optionalExpansions },
      examples && { ...examples.record, ...exampleDefaults },
    ),
    ...{ write, cells, fields: columnNames },
    tag: (row) => {
      const versionTime = row[at];
      if (tag !== undefined)
        return tag.of(Object.fromEntries(columnNames.map((column, index) => [column, row[index]])));
      return versionTime == null ? undefined : tagOf(versionTime);
    },
    versionOf: (row) => (isVersionOfRow && row[at] != null ? `${String(row[0])} ${row[at]}` : undefined),
    version: tag === undefined ? `r.${version}` : undefined,
    fixed: columnEntries.flatMap(([column, { change }]) => (change === 'fixed' ? [column] : [])),
    hasMoves: columnEntries.some(([, { states }]) => states !== undefined),
    hasDocuments,
  };

  return {
    ...rowShape,
    ...rowStatements,
    columns,
    newBody: createObjectSchema(
      { id: `New${name}`, ...schemaMeta, 'x-not-created': notCreatedFields },
      mapColumns(columnEntries, ({ onCreate }) => onCreate),
      examples?.creation,
    ) as unknown as RecordDefinition<C>['newBody'],
    changeBody: createObjectSchema(
      { id: `${name}Change`, ...schemaMeta },
      { ...mapColumns(columnEntries, ({ onChange }) => onChange?.optional()), ...ignoredExpansions },
      examples?.change,
    ) as unknown as RecordDefinition<C>['changeBody'],
    label: {
      ...{ table, lookUp },
      ...{ name: label.length === 1 || lookUp !== undefined ? label.at(-1) : undefined },
      schema: createObjectSchema(
        { id: `Named${name}`, ...schemaMeta },
        mapColumns(labelColumns, ({ kind }) => kind.output),
      ),
      kinds: mapColumns(labelColumns, ({ kind }) => kind),
    },
    expansion,
    moves,
    only: (fields) => {
      const chosenColumns = columnEntries.filter(([column]) => column === 'id' || fields.includes(column));
      const chosenColumnIndexes = chosenColumns.map(([column]) => columnNames.indexOf(column));
      const pickChosenColumns = (row: Row): Row => chosenColumnIndexes.map((place) => row[place] ?? null);
      const [write, cells] = createRowWriters(chosenColumns);
      return {
        ...{ ...rowShape, fields: chosenColumns.map(([column]) => column) },
        ...{ write: (row) => write(pickChosenColumns(row)), cells: (row) => cells(pickChosenColumns(row)) },
        versionOf: () => undefined,
      };
    },
    readQuery: z.strictObject(expansion.query),
    byId: (id, expand = []) => ({
      text: expansion.around(
        `
select ${rowStatements.selectList}
from public.${table} as r
where r.id = $1`,
        expand,
      ),
      values: [id],
      ...(expand.length > 0 && { of: expansion.shape(rowShape, expand) }),
    }),
  };
}

type ColumnEntries = readonly (readonly [string, Column])[];

function createRowWriters(entries: ColumnEntries) {
  const omittedColumns = entries.flatMap(([column, { kind }]) => (isOmittedWhenNull(kind) ? [column] : []));
  const writeRowJson = createJsonWriter(
    mapColumns(entries, ({ kind }) => kind.toJson),
    omittedColumns,
  );
  return [writeRowJson, createCsvCellsWriter(entries.map(([, { kind }]) => kind.toJson))] as const;
}

/** Makes the query for the status moves that the caller can make. */
function buildStatusMovesQuery(
  name: string,
  table: string,
  { kind }: Column,
  { selectList }: RecordStatements,
  rules: NonNullable<RecordOptions['moves']>,
) {
  const of = record(`Possible${name}Move`, rules.table, {
    status: column.readOnlyWithDescription(
      column.enumText(findColumnEnum(kind) ?? z.enum([])),
      'The status after the move.',
      'm.status',
    ),
    requires: column.readOnlyWithDescription(
      column.textArray,
      'The fields that the move needs and the record does not have yet: they are given along with the status.',
      'm.requires',
    ),
  });
  const sql = `
    select m.to_status as status, app.missing(m.requires, to_jsonb(r)) || ${rules.require ?? `'{}'::text[]`} as requires
    from app.moves('${table}', r.status) as m`;
  const computedMoves: ComputedField = {
    ...{ as: 'moves', kind: column.json(z.array(of.schema)) },
    sql: `select coalesce(jsonb_agg(p), '[]') from (${sql}) as p`,
    description: 'What GET …/moves says of the record, where it is asked for.',
  };
  const text = `
select m.status, m.requires
from (
    select ${selectList}
    from public.${table} as r
    where r.id = $1
) as r
cross join lateral (${sql}
) as m`;
  return { of, text, computedMoves };
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
