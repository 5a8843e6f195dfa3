import { z } from 'zod';
import * as field from '../http/fields.ts';
import { digits, moment, plain, plainArray, quoted, truth } from './json.ts';
import type { ToJson } from './json.ts';

export interface Kind<Output extends z.ZodType = z.ZodType> {
  readonly output: Output;
  readonly toJson: ToJson;
  readonly type: string;
}

export const uuid: Kind = { output: z.guid(), toJson: plain, type: 'uuid' };
export const uuids: Kind = { output: z.array(z.guid()), toJson: plainArray, type: 'uuid[]' };
export const names: Kind = { output: z.array(z.string()), toJson: plainArray, type: 'text[]' };
export const integer: Kind = { output: z.int(), toJson: digits, type: 'integer' };
export const decimal: Kind = { output: z.number(), toJson: digits, type: 'numeric' };
export const date: Kind = { output: z.iso.date(), toJson: plain, type: 'date' };
export const time: Kind = { output: z.iso.datetime(), toJson: moment, type: 'timestamptz' };
export const truthValue: Kind = { output: z.boolean(), toJson: truth, type: 'boolean' };

export function text(longest?: number): Kind {
  const output = longest === undefined ? z.string() : z.string().max(longest);
  return { output, toJson: quoted, type: 'text' };
}

export function words(of: z.ZodEnum): Kind {
  return { output: of, toJson: quoted, type: 'text' };
}

export function nullable(kind: Kind): Kind {
  return { ...kind, output: kind.output.nullable() };
}

/** What only some callers are shown: where it is null it is left out. */
export function leftOutWhenNull(kind: Kind): Kind {
  return { ...kind, output: kind.output.optional() };
}

export function isLeftOut({ output }: Kind): boolean {
  return output instanceof z.ZodOptional;
}

export function isNullable({ output }: Kind): boolean {
  return output instanceof z.ZodNullable;
}

export function described(kind: Kind, meta: z.GlobalMeta): Kind {
  return { ...kind, output: kind.output.meta(meta) };
}

export interface Label {
  readonly schema: z.ZodObject;
  readonly table: string;
  /** What finds those with these ids, both in SQL, where that is not its table under the policies. */
  readonly lookUp?: ((ids: string) => string) | undefined;
  readonly kinds: Readonly<Record<string, Kind>>;
}

export interface Column<
  OnCreate extends z.ZodType | undefined = z.ZodType | undefined,
  OnChange extends z.ZodType | undefined = z.ZodType | undefined,
> {
  readonly kind: Kind;
  /** What stands in the select list, for rows of the table called `r`; the column of that name when absent. */
  readonly sql?: string;
  /** What the body of a creation may say, and that of a change, where nothing is required; undefined: nothing. */
  readonly onCreate: OnCreate;
  readonly onChange: OnChange;
  /** What is inserted, from the body laid out as a row called `n`; absent where the database gives the value. */
  readonly inserted?: (name: string) => string;
  /** `set` by a change; `fixed`: a change may say it, but only what it is already. */
  readonly change?: 'set' | 'fixed';
  /** Of a state, which a change moves: its words in the order in which they are usually passed. */
  readonly life?: readonly string[];
  /** The record whose id it holds, and the word by which `expand` asks for it. */
  readonly names?: { readonly as: string; readonly label: Label };
}

const asGiven = (name: string): string => `n.${name}`;

type Ignored = ReturnType<typeof field.ignored>;

/** Read-only: it may be sent back as it was read, and is ignored. `sql` where it is more than a column. */
export function read(kind: Kind, sql?: string): Column<Ignored, Ignored> {
  const ignored = field.ignored(kind.output);
  return { kind, onCreate: ignored, onChange: ignored, ...(sql !== undefined && { sql }) };
}

export function said(kind: Kind, description: string, sql?: string): Column<Ignored, Ignored> {
  return read(described(kind, { description }), sql);
}

export const dates = { created_at: read(time), updated_at: read(time) } as const;

export const id: Column<Ignored, Ignored> = { ...read(uuid), inserted: asGiven };

/** Given at the creation, and open to changes. The rule says whether null is allowed, or nothing at all. */
export function written<I extends z.ZodType>(kind: Kind, rule: I): Column<I, I> {
  return { kind, onCreate: rule, onChange: rule, inserted: asGiven, change: 'set' };
}

export function optional<I extends z.ZodType>(
  kind: Kind,
  rule: I,
): Column<z.ZodOptional<z.ZodNullable<I>>, z.ZodOptional<z.ZodNullable<I>>> {
  return written(nullable(kind), rule.nullable().optional());
}

export function defaulted<I extends z.ZodType>(
  kind: Kind,
  rule: I,
  otherwise: string,
): Column<z.ZodOptional<I>, I> {
  const inserted = (name: string): string => `coalesce(n.${name}, ${otherwise})`;
  return { kind, onCreate: rule.optional(), onChange: rule, inserted, change: 'set' };
}

/** The id of what a record belongs to, once and for all: one that is sent back must be the one that it has. */
export const fixed: Column<typeof field.uuid, typeof field.uuid> = {
  ...{ kind: uuid, onCreate: field.uuid, onChange: field.uuid },
  ...{ inserted: asGiven, change: 'fixed' },
};

/** A state, which begins as the first of its words; every change of it is a move, and those the database holds. */
export function state<W extends z.ZodEnum>(of: W): Column<z.ZodOptional<z.ZodLiteral<string>>, W> {
  const life = of.options.map(String);
  const [first = ''] = life;
  return {
    kind: words(of),
    onCreate: z.literal(first, `must be ${first}: the record begins there`).optional(),
    onChange: of,
    change: 'set',
    life,
  };
}

/** What lies in another table: read by `sql`, and written by statements of its own. */
export function aside<I extends z.ZodType>(kind: Kind, rule: I, sql: string): Column<I, I> {
  return { kind, sql, onCreate: rule, onChange: rule };
}

export function naming<C extends Column>(as: string, label: Label, column: C): C {
  return { ...column, names: { as, label } };
}

export function later<I extends z.ZodType>(kind: Kind, rule: I): Column<undefined, I> {
  return { kind, onCreate: undefined, onChange: rule, change: 'set' };
}
