import { z } from 'zod';
import * as field from '../http/fields.ts';
import { rule } from '../problems.ts';
import {
  copyJsonText,
  numberToJson,
  timeToJson,
  unescapedTextToJson,
  arrayToJson,
  textToJson,
  booleanToJson,
  type JsonConverter,
} from './json.ts';

export interface ColumnKind {
  readonly output: z.ZodType;
  readonly toJson: JsonConverter;
  readonly type: string;
  /** The field's description in OpenAPI, if the comment on the database column is missing or does not fit. */
  readonly description?: string;
  /** True for a text without a maximum length; lists cannot be sorted by long texts. */
  readonly isLong?: boolean;
  /** True for a number from 0 to 100; filters of other decimals accept larger numbers. */
  readonly isPercent?: boolean;
}

export const uuid: ColumnKind = { output: z.guid(), toJson: unescapedTextToJson, type: 'uuid' };
export const uuids: ColumnKind = { output: z.array(z.guid()), toJson: arrayToJson, type: 'uuid[]' };
export const textArray: ColumnKind = { output: z.array(z.string()), toJson: arrayToJson, type: 'text[]' };
export const integer: ColumnKind = { output: z.int(), toJson: numberToJson, type: 'integer' };
export const decimal: ColumnKind = { output: z.number(), toJson: numberToJson, type: 'numeric' };
export const percent: ColumnKind = { ...decimal, isPercent: true };
export const date: ColumnKind = { output: z.iso.date(), toJson: unescapedTextToJson, type: 'date' };
export const time: ColumnKind = { output: z.iso.datetime({ precision: 3 }), toJson: timeToJson, type: 'timestamptz' };
export const boolean: ColumnKind = { output: z.boolean(), toJson: booleanToJson, type: 'boolean' };

export function text(longest?: number): ColumnKind {
  const output = longest === undefined ? z.string() : z.string().max(longest);
  return { output, toJson: textToJson, type: 'text', isLong: longest === undefined };
}

/** Makes the properties of a column whose value Postgres returns as JSON. */
export function json(output: z.ZodType): ColumnKind {
  return { output, toJson: copyJsonText, type: 'jsonb' };
}

export function enumText(of: z.ZodEnum): ColumnKind {
  return { output: of, toJson: textToJson, type: 'text' };
}

export function nullable(kind: ColumnKind): ColumnKind {
  return { ...kind, output: kind.output.nullable() };
}

export function omittedWhenNull(kind: ColumnKind): ColumnKind {
  return { ...kind, output: kind.output.optional() };
}

export function isOmittedWhenNull({ output }: ColumnKind): boolean {
  return output instanceof z.ZodOptional;
}

export function isNullable({ output }: ColumnKind): boolean {
  return output instanceof z.ZodNullable;
}

export function findColumnEnum({ output }: ColumnKind): z.ZodEnum | undefined {
  const withoutNull = output instanceof z.ZodNullable ? output.unwrap() : output;
  return withoutNull instanceof z.ZodEnum ? withoutNull : undefined;
}

/** True if lists can be sorted by the column, which must be stored, and is no list and no long text. */
export function isSortable({ kind: { type, isLong }, sql }: Column): boolean {
  return sql === undefined && isLong !== true && SORTABLE_TYPES.includes(type);
}

const SORTABLE_TYPES = ['text', 'integer', 'numeric', 'date', 'timestamptz', 'boolean', 'uuid'];

export function withMeta(kind: ColumnKind, meta: z.GlobalMeta): ColumnKind {
  return { ...kind, output: kind.output.meta(meta) };
}

export interface RecordLabel {
  readonly schema: z.ZodObject;
  readonly table: string;
  /** Returns the SQL call of a database function that reads records by id, even records that row policies hide. */
  readonly lookUp?: ((ids: string) => string) | undefined;
  readonly kinds: Readonly<Record<string, ColumnKind>>;
  /** The column with the record's name, by which lists of other records can be sorted. */
  readonly name: string | undefined;
}

export interface Column<
  OnCreate extends z.ZodType | undefined = z.ZodType | undefined,
  OnChange extends z.ZodType | undefined = z.ZodType | undefined,
> {
  readonly kind: ColumnKind;
  /** The SQL expression in the select list, over the row `r`; when absent, the field is a column of the table. */
  readonly sql?: string;
  /** The SQL expression that the select list shows instead of a stored column, over the row `r`. */
  readonly shown?: string;
  /** The rule of the field in the body of a creation or a change; undefined if the body may not contain it. */
  readonly onCreate: OnCreate;
  readonly onChange: OnChange;
  /** The SQL expression that an insert stores, over the body as row `n`; absent if the database sets the value. */
  readonly inserted?: (name: string) => string;
  /**
   * With `set`, an update stores the body's value; with `fixed` and `derived`, the body may only repeat the stored value.
   * A creation gives a `fixed` column, and only the service sets a `derived` one.
   */
  readonly change?: 'set' | 'fixed' | 'derived';
  readonly states?: readonly string[];
  /** For a column that refers to another record: the other record's label, and its name in the parameter `expand`. */
  readonly names?: { readonly as: string; readonly label: RecordLabel };
}

const bodyValue = (name: string): string => `n.${name}`;

type IgnoredInput = ReturnType<typeof field.ignoredInputSchema>;

/**
 * A read-only column: a creation with the field is refused, and a change ignores the field, so that a caller can send
 * back a whole record. `sql` is the expression of a computed column.
 */
export function readOnly(kind: ColumnKind, sql?: string): Column<undefined, IgnoredInput> {
  return {
    kind,
    onCreate: undefined,
    onChange: field.ignoredInputSchema(kind.output),
    ...(sql !== undefined && { sql }),
  };
}

export function readOnlyWithDescription(
  kind: ColumnKind,
  description: string,
  sql?: string,
): Column<undefined, IgnoredInput> {
  return readOnly({ ...kind, description }, sql);
}

/** A column that the service works out: a change may only repeat its stored value, as a caller does with a whole record. */
export function derived(kind: ColumnKind, sql?: string): Column<undefined, z.ZodType> {
  return { ...readOnly(kind, sql), onChange: kind.output.optional().meta({ readOnly: true }), change: 'derived' };
}

export const timestampColumns = { created_at: readOnly(time), updated_at: readOnly(time) } as const;

export const id: Column<undefined, IgnoredInput> = { ...readOnly(uuid), inserted: bodyValue };

export function writable<I extends z.ZodType>(kind: ColumnKind, rule: I): Column<I, I> {
  return { kind, onCreate: rule, onChange: rule, inserted: bodyValue, change: 'set' };
}

export function optional<I extends z.ZodType>(
  kind: ColumnKind,
  rule: I,
): Column<z.ZodOptional<z.ZodNullable<I>>, z.ZodOptional<z.ZodNullable<I>>> {
  return writable(nullable(kind), rule.nullable().optional());
}

export function withDefault<I extends z.ZodType>(
  kind: ColumnKind,
  rule: I,
  otherwise: string,
): Column<z.ZodOptional<I>, I> {
  const inserted = (name: string): string => `coalesce(n.${name}, ${otherwise})`;
  return { kind, onCreate: rule.optional(), onChange: rule, inserted, change: 'set' };
}

/** The id of a parent record: the body of a change may contain the stored id, but no other id. */
export const fixedParentId: Column<typeof field.uuid, typeof field.uuid> = {
  kind: uuid,
  onCreate: field.uuid,
  onChange: field.uuid,
  inserted: bodyValue,
  change: 'fixed',
};

export function statusColumn<W extends z.ZodEnum>(of: W): Column<z.ZodOptional<z.ZodLiteral<string>>, W> {
  const states = of.options.map(String);
  const [first = ''] = states;
  const { [first]: label } = of.meta()?.['x-enum-labels'] as Record<string, object>;
  return {
    kind: enumText(of),
    onCreate: z
      .literal(first, rule('not_first_status', { status: first }))
      .meta({ 'x-enum-labels': { [first]: label } })
      .optional(),
    onChange: of,
    change: 'set',
    states,
  };
}

export function writtenByEndpoint<I extends z.ZodType>(kind: ColumnKind, rule: I, sql: string): Column<I, I> {
  return { kind, sql, onCreate: rule, onChange: rule };
}

export function reference<C extends Column>(as: string, label: RecordLabel, column: C): C {
  return { ...column, names: { as, label } };
}

export function writableOnChange<I extends z.ZodType>(kind: ColumnKind, rule: I): Column<undefined, I> {
  return { kind, onCreate: undefined, onChange: rule, change: 'set' };
}
