import { z } from 'zod';
import * as field from '../http/fields.ts';
import { rule } from '../problems.ts';
import {
  jsonAsIs,
  numberToJson,
  timeToJson,
  unescapedToJson,
  arrayToJson,
  textToJson,
  booleanToJson,
  type ToJson,
} from './json.ts';

export interface Kind {
  readonly output: z.ZodType;
  readonly toJson: ToJson;
  readonly type: string;
  /** The description of the field, if the column has no comment or a comment with another meaning. */
  readonly description?: string;
  /** True for long texts, by which lists do not sort. */
  readonly isLong?: boolean;
}

export const uuid: Kind = { output: z.guid(), toJson: unescapedToJson, type: 'uuid' };
export const uuids: Kind = { output: z.array(z.guid()), toJson: arrayToJson, type: 'uuid[]' };
export const textArray: Kind = { output: z.array(z.string()), toJson: arrayToJson, type: 'text[]' };
export const integer: Kind = { output: z.int(), toJson: numberToJson, type: 'integer' };
export const decimal: Kind = { output: z.number(), toJson: numberToJson, type: 'numeric' };
export const date: Kind = { output: z.iso.date(), toJson: unescapedToJson, type: 'date' };
export const time: Kind = { output: z.iso.datetime(), toJson: timeToJson, type: 'timestamptz' };
export const boolean: Kind = { output: z.boolean(), toJson: booleanToJson, type: 'boolean' };

export function text(longest?: number): Kind {
  const output = longest === undefined ? z.string() : z.string().max(longest);
  return { output, toJson: textToJson, type: 'text', isLong: longest === undefined };
}

/** A value that Postgres writes as JSON. */
export function json(output: z.ZodType): Kind {
  return { output, toJson: jsonAsIs, type: 'jsonb' };
}

export function enumText(of: z.ZodEnum): Kind {
  return { output: of, toJson: textToJson, type: 'text' };
}

export function nullable(kind: Kind): Kind {
  return { ...kind, output: kind.output.nullable() };
}

export function omittedWhenNull(kind: Kind): Kind {
  return { ...kind, output: kind.output.optional() };
}

export function isOmittedWhenNull({ output }: Kind): boolean {
  return output instanceof z.ZodOptional;
}

export function isNullable({ output }: Kind): boolean {
  return output instanceof z.ZodNullable;
}

/** The enum of a column; undefined where the column is of another type. */
export function enumOf({ output }: Kind): z.ZodEnum | undefined {
  const withoutNull = output instanceof z.ZodNullable ? output.unwrap() : output;
  return withoutNull instanceof z.ZodEnum ? withoutNull : undefined;
}

/**
 * True if lists may sort by the column: the order of texts, numbers and dates means something to people, the order
 * of ids does not.
 */
export function isSortable({ kind: { type, isLong }, sql }: Column): boolean {
  return sql === undefined && isLong !== true && SORTABLE_TYPES.includes(type);
}

const SORTABLE_TYPES = ['text', 'integer', 'numeric', 'date', 'timestamptz'];

export function withMeta(kind: Kind, meta: z.GlobalMeta): Kind {
  return { ...kind, output: kind.output.meta(meta) };
}

export interface Label {
  readonly schema: z.ZodObject;
  readonly table: string;
  /** A function, in SQL, that finds the records with these ids where policies hide the table's rows. */
  readonly lookUp?: ((ids: string) => string) | undefined;
  readonly kinds: Readonly<Record<string, Kind>>;
  /**
   * The column with the record's name, by which lists of other records may sort; undefined if the record has no name.
   */
  readonly name: string | undefined;
}

export interface Column<
  OnCreate extends z.ZodType | undefined = z.ZodType | undefined,
  OnChange extends z.ZodType | undefined = z.ZodType | undefined,
> {
  readonly kind: Kind;
  /** The expression in the select list, for a row `r`; the column of that name when absent. */
  readonly sql?: string;
  /**
   * The validation rules of the field in the bodies of a creation and of a change; undefined if the field is not
   * allowed there.
   */
  readonly onCreate: OnCreate;
  readonly onChange: OnChange;
  /** The SQL expression to insert, from the body as a row `n`; absent if the database sets the value. */
  readonly inserted?: (name: string) => string;
  /**
   * `set` means that a change stores the value. `fixed` means that a change may contain the value only if it is the
   * present one.
   */
  readonly change?: 'set' | 'fixed';
  readonly states?: readonly string[];
  /** The record whose id the column holds, and its word in `expand`. */
  readonly names?: { readonly as: string; readonly label: Label };
}

const bodyValue = (name: string): string => `n.${name}`;

type Ignored = ReturnType<typeof field.ignoredInput>;

/** A read-only column: a caller may send the field back, and it is ignored. `sql` is given for a computed value. */
export function readOnly(kind: Kind, sql?: string): Column<Ignored, Ignored> {
  const ignored = field.ignoredInput(kind.output);
  return { kind, onCreate: ignored, onChange: ignored, ...(sql !== undefined && { sql }) };
}

export function readOnlyDescribed(kind: Kind, description: string, sql?: string): Column<Ignored, Ignored> {
  return readOnly({ ...kind, description }, sql);
}

export const dates = { created_at: readOnly(time), updated_at: readOnly(time) } as const;

export const id: Column<Ignored, Ignored> = { ...readOnly(uuid), inserted: bodyValue };

export function writable<I extends z.ZodType>(kind: Kind, rule: I): Column<I, I> {
  return { kind, onCreate: rule, onChange: rule, inserted: bodyValue, change: 'set' };
}

export function optional<I extends z.ZodType>(
  kind: Kind,
  rule: I,
): Column<z.ZodOptional<z.ZodNullable<I>>, z.ZodOptional<z.ZodNullable<I>>> {
  return writable(nullable(kind), rule.nullable().optional());
}

export function withDefault<I extends z.ZodType>(
  kind: Kind,
  rule: I,
  otherwise: string,
): Column<z.ZodOptional<I>, I> {
  const inserted = (name: string): string => `coalesce(n.${name}, ${otherwise})`;
  return { kind, onCreate: rule.optional(), onChange: rule, inserted, change: 'set' };
}

/** The id of the parent record. A change may contain the present id, but no other one. */
export const fixed: Column<typeof field.uuid, typeof field.uuid> = {
  ...{ kind: uuid, onCreate: field.uuid, onChange: field.uuid },
  ...{ inserted: bodyValue, change: 'fixed' },
};

export function state<W extends z.ZodEnum>(of: W): Column<z.ZodOptional<z.ZodLiteral<string>>, W> {
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

export function writtenByEndpoint<I extends z.ZodType>(kind: Kind, rule: I, sql: string): Column<I, I> {
  return { kind, sql, onCreate: rule, onChange: rule };
}

export function reference<C extends Column>(as: string, label: Label, column: C): C {
  return { ...column, names: { as, label } };
}

export function changeOnly<I extends z.ZodType>(kind: Kind, rule: I): Column<undefined, I> {
  return { kind, onCreate: undefined, onChange: rule, change: 'set' };
}
