import type { Readable } from 'node:stream';
import { z } from 'zod';
import type { Database } from '../db/database.ts';
import type { Statement } from '../db/statement.ts';
import type { Caller, Role } from '../identity/caller.ts';
import type { CallerRequest, Statements } from './caller-request.ts';
import { uuid } from './fields.ts';

type Fields = z.ZodObject;
type NoFields = z.ZodObject<Record<string, never>>;

type ParamsOf<Path extends string> = string extends Path
  ? Readonly<Record<string, string>>
  : Path extends `${string}{${infer Name}}${infer Rest}`
    ? Readonly<Record<Name, string>> & ParamsOf<Rest>
    : unknown;

/** A request after its validation: values that the schemas name. */
export interface Input<P extends string = string, Q extends Fields = Fields, B extends Fields = Fields> {
  readonly params: ParamsOf<P>;
  readonly query: z.output<Q>;
  readonly body: z.output<B>;
}

/** The columns of a row as Postgres writes them in text. */
export type Row = readonly (string | null)[];

export interface Cell {
  readonly text: string;
  /** True for text that a person wrote; false for a number, a truth value or a list of ids. */
  readonly isText: boolean;
}

/** A kind of record with its columns, as `src/records` declares it. */
export interface RecordShape {
  readonly name: string;
  readonly table: string;
  readonly schema: z.ZodType;
  write(row: Row): string;
  readonly fields: readonly string[];
  cells(row: Row): readonly Cell[];
  readonly width: number;
  tag(row: Row): string | undefined;
  readonly isAlwaysTagged: boolean;
  readonly exampleId: string | undefined;
  /** The time of a version, in SQL for `r`; undefined where the ETag depends on more. */
  readonly version: string | undefined;
  /** The ETag of such a time. */
  tagOf(time: string): string;
  /** The columns that a change may give only with their present value. */
  readonly fixed: readonly string[];
  /** True for a record with a status. */
  readonly hasMoves: boolean;
  /** True where the deletion of a record deletes documents. */
  readonly hasDocuments: boolean;
}

/** Records that keep another from being deleted. */
interface Holder {
  /** The label of the count, as in "bills of this partner: 3". */
  readonly words: string;
  readonly count: Statement;
}

export interface Reply {
  readonly status: 200 | 201 | 204 | 206 | 304 | 307;
  /** JSON text, or a stream of bytes. */
  readonly body?: string | Readable;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Shape<P extends string, Q extends Fields, B extends Fields> {
  readonly method: 'get' | 'post' | 'put' | 'delete';
  readonly path: P;
  readonly summary: string;
  /** The name in generated clients, where `operationIdOf` finds no good one. */
  readonly operationId?: string;
  readonly tag: string;
  /** The table of the record that `id` names, or of the listed records. */
  readonly resource: string;
  /** Strict objects refuse unknown fields. A part without a schema takes no field; a path has UUIDs. */
  readonly params?: z.ZodObject;
  readonly query?: Q;
  readonly body?: B;
  /** For the description: an array of records, or CSV, which `readRows` reads. */
  readonly rows?: z.ZodType;
  /** For the description: a multipart form, which the endpoint reads by itself. */
  readonly form?: z.ZodObject;
  /** The record of the answers. */
  readonly of?: RecordShape;
  /** Where the endpoint has `handle`: the body of each success, null for none. */
  readonly responses?: Responses;
  /** Fields of the body, or filters of a list, that hold ids of other records: the table of each. */
  readonly references?: Readonly<Record<string, string>>;
  /** The messages to the caller by constraint of the database and by field. */
  readonly constraints?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export type Responses = Readonly<
  Partial<Record<200 | 201 | 204 | 206 | 304 | 307, z.ZodType | RecordShape | null>>
>;

export interface ReadQuery extends Statement {
  /** Given where the row has more columns than the endpoint's record. */
  readonly of?: RecordShape;
}

/** The `limit` of a CSV, which has no pages. */
export const WHOLE = Infinity;

/** The `limit` in SQL: one row more tells that there is a next page; null selects all. */
export function rowsFor(limit: number): number | null {
  return limit === WHOLE ? null : limit + 1;
}

export interface ListQuery {
  readonly of?: RecordShape;
  /**
   * One row more than `limit` tells that there is a next page. With `count=exact` the total is one more column; a list
   * without records then has one row of nulls and the total.
   */
  readonly records: Statement;
  readonly limit: number;
  /** The place of a row, behind which the next page begins. */
  cursor(row: Row): string;
}

interface Rights<P extends string, Q extends Fields, B extends Fields> {
  readonly roles: readonly Role[];
  /**
   * The clients that the request names, which are checked before anything is read; by default those of path, body and
   * query.
   */
  clients?(input: Input<P, Q, B>): readonly string[];
  /** The only client of the request's rights; by default the one client that the request names. */
  client?(input: Input<P, Q, B>): string | undefined;
  /** The id of the record of the request; by default that of the path. An invisible record is 403 or 404. */
  id?(input: Input<P, Q, B>): string;
  /** The records that keep this one from being deleted; counted as the caller, after the refusal. */
  heldBy?(input: Input<P, Q, B>): Readonly<Record<string, Holder>>;
  /** The query for the id of the existing record, by broken unique constraint; run as the caller. */
  existing?(input: Input<P, Q, B>): Readonly<Record<string, Statement>>;
}

/** Statements that return rows of `of`, or `handle`. */
type Answer<P extends string, Q extends Fields, B extends Fields> =
  | (Of & {
      /** 200 and the record, or 304 where `If-None-Match` has its ETag. */
      read(input: Input<P, Q, B>, caller: Caller): ReadQuery;
    })
  | (Of & {
      /**
       * 200 and the records, with a `Link` to the next page. An empty list is refused where the record of the path is
       * invisible.
       */
      list(input: Input<P, Q, B>, caller: Caller): ListQuery;
    })
  | (Of & {
      /** 201, the record and its `Location`. The id is the new record's. */
      create(input: Input<P, Q, B>, id: string): Statement;
    })
  | (Of & {
      /** 200 and the record. Changes no row whose ETag is missing in `ifMatch`, unless that is null. */
      change(input: Input<P, Q, B>, ifMatch: readonly string[] | null): Statements;
    })
  | (Of & {
      /** 204; the same of `ifMatch`. */
      remove(input: Input<P, Q, B>, ifMatch: readonly string[] | null): Statements;
    })
  | {
      handle(input: Input<P, Q, B>, request: CallerRequest): Promise<Reply>;
    };

interface Of {
  readonly of: RecordShape;
}

export type Endpoint<P extends string = string, Q extends Fields = Fields, B extends Fields = Fields> = Shape<
  P,
  Q,
  B
> &
  Rights<P, Q, B> &
  Answer<P, Q, B>;

export interface PublicEndpoint<Q extends Fields = Fields, B extends Fields = Fields>
  extends Shape<string, Q, B> {
  readonly roles: 'public';
  /** True for a health check: no limit counts the request. */
  readonly isProbe?: true;
  /** There is no caller before `authenticate`; until then only the state of the service may be read. */
  handle(
    input: Input<string, Q, B>,
    database: Database,
    authenticate: (token: string) => Promise<CallerRequest>,
  ): Promise<Reply>;
}

/** True for an endpoint that answers 201, and so takes an `Idempotency-Key`. */
export function creates(endpoint: Endpoint | PublicEndpoint): boolean {
  return 'create' in endpoint || (endpoint.responses !== undefined && 201 in endpoint.responses);
}

function clientsOf({ params, query, body }: Input): readonly string[] {
  return [params['clientId'], body['client_id'], query['client_id']]
    .flat()
    .filter((id) => typeof id === 'string');
}

export function onlyOne(ids: readonly string[] = []): string | undefined {
  return ids.length === 1 ? ids[0] : undefined;
}

/** Types the input by path and schemas, and adds the defaults of `params`, `id`, `clients` and `client`. */
export function endpoint<const P extends string, Q extends Fields = NoFields, B extends Fields = NoFields>(
  definition: Endpoint<P, Q, B>,
): Endpoint {
  const names = [...definition.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  return {
    ...(names.length > 0 && {
      params: z.strictObject(Object.fromEntries(names.map((name) => [name, uuid]))),
      id: ({ params }: Input) => params['id'] ?? params['clientId'] ?? '',
    }),
    ...(definition.clients === undefined && {
      clients: clientsOf,
      client: (input: Input) => onlyOne(clientsOf(input)),
    }),
    ...(definition as unknown as Endpoint),
  };
}

export function publicEndpoint<Q extends Fields = NoFields, B extends Fields = NoFields>(
  definition: PublicEndpoint<Q, B>,
): PublicEndpoint {
  return definition;
}
