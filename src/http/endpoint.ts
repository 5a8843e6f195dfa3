import type { Readable } from 'node:stream';
import { z } from 'zod';
import type { Database } from '../db/database.ts';
import type { Statement } from '../db/statement.ts';
import type { Caller, Role } from '../identity/caller.ts';
import type { CallerRequest, Statements } from './caller-request.ts';
import { uuid } from './fields.ts';

type Fields = z.ZodObject;
type NoFields = z.ZodObject<Record<string, never>>;

/** The placeholders of a path: `id` of `/api/clients/{id}`. */
type ParamsOf<Path extends string> = string extends Path
  ? Readonly<Record<string, string>>
  : Path extends `${string}{${infer Name}}${infer Rest}`
    ? Readonly<Record<Name, string>> & ParamsOf<Rest>
    : unknown;

/** What a request says, after its schemas: nothing that they do not name. */
export interface Input<P extends string = string, Q extends Fields = Fields, B extends Fields = Fields> {
  readonly params: ParamsOf<P>;
  readonly query: z.output<Q>;
  readonly body: z.output<B>;
}

/** A row as Postgres writes it, column by column. */
export type Row = readonly (string | null)[];

/** A value in a table. */
export interface Cell {
  readonly text: string;
  /** Whether it is text that somebody wrote, and no number, truth value or list of ids. */
  readonly isText: boolean;
}

/** What the answers of an endpoint are made of: a record and its columns; `src/records` declares them. */
export interface RecordShape {
  /** Under which name it is described. */
  readonly name: string;
  readonly table: string;
  readonly schema: z.ZodType;
  /** JSON text of a row of all its columns. */
  write(row: Row): string;
  /** The names of its columns, and a row as cells of a table. */
  readonly fields: readonly string[];
  cells(row: Row): readonly Cell[];
  /** How many columns that is. */
  readonly width: number;
  /** The entity tag of that row; undefined where it has none. */
  tag(row: Row): string | undefined;
  /** Whether each row has one. */
  readonly isAlwaysTagged: boolean;
  /** The id of the record that the description has as an example. */
  readonly exampleId: string | undefined;
  /** The time that tells one version from another, in SQL for `r`; undefined where a tag is more than that. */
  readonly version: string | undefined;
  /** The entity tag of such a time. */
  tagOf(time: string): string;
  /** The columns that a change may name and not change. */
  readonly fixed: readonly string[];
  /** Whether it has a status that a change moves. */
  readonly hasMoves: boolean;
  /** Whether the contents of documents are due for removal once it is deleted. */
  readonly hasDocuments: boolean;
}

/** Records that may need one which is to be deleted. */
interface Holder {
  /** What they are to it; their number comes after. */
  readonly words: string;
  readonly count: Statement;
}

/** What an endpoint written out in full answers with. */
export interface Reply {
  readonly status: 200 | 201 | 204 | 206 | 304 | 307;
  /** JSON text, or bytes as they come. */
  readonly body?: string | Readable;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Shape<P extends string, Q extends Fields, B extends Fields> {
  readonly method: 'get' | 'post' | 'put' | 'delete';
  /** As OpenAPI writes it: `/api/clients/{clientId}`. */
  readonly path: P;
  readonly summary: string;
  /** What generated clients call it, where its method and path do not say that well: see `operationIdOf`. */
  readonly operationId?: string;
  readonly tag: string;
  /** The table of the record that `id` gives, otherwise of the records that the endpoint is about. */
  readonly resource: string;
  /** Strict objects: what they do not name is refused. A part without a schema takes nothing; a path has ids. */
  readonly params?: z.ZodObject;
  readonly query?: Q;
  readonly body?: B;
  /** An array of records, which may come as CSV as well; read by `readRows`, here for the description. */
  readonly rows?: z.ZodType;
  /** A multipart form, which the endpoint reads by itself; here for the description. */
  readonly form?: z.ZodObject;
  /** The record that the endpoint is about, where it is about one; its answers are described by it. */
  readonly of?: RecordShape;
  /** The body of a success, by its status: a record, something else, or null for none; for what is written out in full. */
  readonly responses?: Responses;
  /** Fields of the body, or filters of a list, that name other records by their ids, and the table of each. */
  readonly references?: Readonly<Record<string, string>>;
  /** What a broken constraint says to the caller: the rule of each field, by the name of the constraint. */
  readonly constraints?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export type Responses = Readonly<
  Partial<Record<200 | 201 | 204 | 206 | 304 | 307, z.ZodType | RecordShape | null>>
>;

/** The statement of one record. */
export interface ReadQuery extends Statement {
  /** What its row is made of, where that is more than the endpoint's record. */
  readonly of?: RecordShape;
}

/** The `limit` of a list that is asked for whole: as CSV, which has no pages. */
export const WHOLE = Infinity;

/** The parameter of a `limit` in SQL: one more, which tells that there is a next page; null for all. */
export function rowsFor(limit: number): number | null {
  return limit === WHOLE ? null : limit + 1;
}

/** The statement of a list. */
export interface ListQuery {
  /** The same of its rows. */
  readonly of?: RecordShape;
  /**
   * The records; one more than `limit`, which tells that there is a next page. Where the request asked how many there
   * are, that is one more column, and there is a row of nulls before it where there is no record.
   */
  readonly records: Statement;
  readonly limit: number;
  /** What the next page begins behind, made of the last row. */
  cursor(row: Row): string;
}

interface Rights<P extends string, Q extends Fields, B extends Fields> {
  readonly roles: readonly Role[];
  /**
   * The clients that the request names, held against the caller's before anything is read; where absent, those of its
   * path, its body and its query.
   */
  clients?(input: Input<P, Q, B>): readonly string[];
  /** The client that it may touch alone; where `clients` is absent, the one that it names, if it names one. */
  client?(input: Input<P, Q, B>): string | undefined;
  /** The id of the one record that it names: where it is not visible, tells 403 from 404; where absent, that of its path. */
  id?(input: Input<P, Q, B>): string;
  /** What may keep the record from being deleted, by field; counted as the caller, once it was refused. */
  heldBy?(input: Input<P, Q, B>): Readonly<Record<string, Holder>>;
  /** What finds the id of the record that exists already, by the constraint that a new one breaks; asked as the caller. */
  existing?(input: Input<P, Q, B>): Readonly<Record<string, Statement>>;
}

/** Statements whose row has the columns of the endpoint's record. */
type Answer<P extends string, Q extends Fields, B extends Fields> =
  | (Of & {
      /** 200 and the record, or 304 where `If-None-Match` has its tag. */
      read(input: Input<P, Q, B>, caller: Caller): ReadQuery;
    })
  | (Of & {
      /** 200 and the records; `Link` to the next page. Without any row, a record in the path must be visible. */
      list(input: Input<P, Q, B>, caller: Caller): ListQuery;
    })
  | (Of & {
      /** 201, the record and its `Location`. The id is new, so that the statement can name what it makes. */
      create(input: Input<P, Q, B>, id: string): Statement;
    })
  | (Of & {
      /** 200 and the record. No row is touched whose tag is not among `ifMatch`, unless that is null. */
      change(input: Input<P, Q, B>, ifMatch: readonly string[] | null): Statements;
    })
  | (Of & {
      /** 204; the same of `ifMatch`. The contents of documents that went along are removed. */
      remove(input: Input<P, Q, B>, ifMatch: readonly string[] | null): Statements;
    })
  | {
      /** Written out in full. */
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
  /** Asked by whoever watches the service: no limit counts it. */
  readonly isProbe?: true;
  /** Of the database only what is about the service itself: there is no caller until a token holds. */
  handle(
    input: Input<string, Q, B>,
    database: Database,
    authenticate: (token: string) => Promise<CallerRequest>,
  ): Promise<Reply>;
}

/** Whether it answers with 201: a record that it makes each time that it is asked, unless a key says that it was asked before. */
export function creates(endpoint: Endpoint | PublicEndpoint): boolean {
  return 'create' in endpoint || (endpoint.responses !== undefined && 201 in endpoint.responses);
}

/** The clients that the usual fields name. */
function clientsOf({ params, query, body }: Input): readonly string[] {
  return [params['clientId'], body['client_id'], query['client_id']]
    .flat()
    .filter((id) => typeof id === 'string');
}

/** The id where one alone is named: what a request is about. */
export function onlyOne(ids: readonly string[] = []): string | undefined {
  return ids.length === 1 ? ids[0] : undefined;
}

/** Types the input of an endpoint by its path and its schemas, and takes from them what it does not say itself. */
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

/** The same for an endpoint that needs no token. */
export function publicEndpoint<Q extends Fields = NoFields, B extends Fields = NoFields>(
  definition: PublicEndpoint<Q, B>,
): PublicEndpoint {
  return definition;
}
