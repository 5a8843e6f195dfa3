import { z } from 'zod';
import type { Database } from '../db/database.ts';
import type { Statement } from '../db/statement.ts';
import type { BrokenRuleByField } from '../errors.ts';
import type { Caller, Role } from '../identity/caller.ts';
import type { CallerRequest, StatementOrStatements } from './caller-request.ts';
import type { EndpointReply } from './envelope.ts';
import { csvParameters, uuid } from './fields.ts';
import type { JsonBudget } from './json-budget.ts';

type FieldsSchema = z.ZodObject;
type NoFields = z.ZodObject<Record<string, never>>;

type ParamsOf<Path extends string> = string extends Path
  ? Readonly<Record<string, string>>
  : Path extends `${string}{${infer Name}}${infer Rest}`
    ? Readonly<Record<Name, string>> & ParamsOf<Rest>
    : unknown;

export interface RequestInput<
  P extends string = string,
  Q extends FieldsSchema = FieldsSchema,
  B extends FieldsSchema = FieldsSchema,
> {
  readonly params: ParamsOf<P>;
  readonly query: z.output<Q>;
  readonly body: z.output<B>;
}

/** The columns of a row in Postgres's text format: dates in ISO form, times in UTC, null for NULL. */
export type Row = readonly (string | null)[];

export interface CsvCell {
  readonly text: string;
  /** True for text that a person wrote; false for a number, a truth value or a list of ids. */
  readonly isText: boolean;
}

export interface RecordShape {
  readonly name: string;
  readonly table: string;
  readonly schema: z.ZodType;
  write(row: Row): string;
  readonly fields: readonly string[];
  cells(row: Row): readonly CsvCell[];
  readonly width: number;
  tag(row: Row): string | undefined;
  /** Returns the record's id and version; undefined if a value in the response may change without a new version. */
  versionOf(row: Row): string | undefined;
  readonly isAlwaysTagged: boolean;
  readonly exampleId: string | undefined;
  /**
   * The SQL expression, over the row `r`, for the time that alone determines the ETag; undefined if the ETag depends on
   * more.
   */
  readonly version: string | undefined;
  formatEtag(time: string): string;
  /** Columns that never change: a request may contain such a column only with its present value. */
  readonly fixed: readonly string[];
  /** Columns that only the service sets; the SQL is true if the body `body` repeats the stored value of the row `r`. */
  readonly derived: Readonly<Record<string, (body: string) => string>>;
  readonly hasMoves: boolean;
  readonly hasDocuments: boolean;
}

interface RecordHolder {
  /** The key, in PROBLEM_TEXTS, of a text that counts the referring records, such as "bills of this partner: 3". */
  readonly key: 'in_use.invoices' | 'in_use.kept_bills' | 'in_use.bills';
  readonly count: Statement;
}

interface EndpointOptions<P extends string, Q extends FieldsSchema, B extends FieldsSchema> {
  readonly method: 'get' | 'post' | 'put' | 'delete';
  readonly path: P;
  readonly summary: string;
  /** The operation id in the OpenAPI description; by default `buildOperationId` makes the id from the path. */
  readonly operationId?: string;
  readonly tag: string;
  readonly resource: string;
  /**
   * The schemas of an endpoint are strict objects, which refuse unknown fields. Without a schema, query and body must
   * have no fields, and path parameters must be UUIDs.
   */
  readonly params?: z.ZodObject;
  readonly query?: Q;
  readonly body?: B;
  /** The size limits of the JSON body; by default, the limits for a body with one record. */
  readonly budget?: JsonBudget;
  readonly rows?: z.ZodType;
  readonly form?: z.ZodObject;
  readonly of?: RecordShape;
  readonly responses?: ResponseShapes;
  /** The schema of the events for callers that prefer text/event-stream. */
  readonly events?: z.ZodType;
  /** True if the endpoint accepts an Idempotency-Key although it creates no record. */
  readonly isRepeatable?: true;
  /** True if `handle` compares If-Match with the record's version, as each `change` and `remove` does. */
  readonly comparesIfMatch?: true;
  /** Maps each body field or list filter that holds ids of other records to the table of these records. */
  readonly references?: Readonly<Record<string, string>>;
  /** Maps a database constraint to the problem of each field that a 409 or 400 reports. */
  readonly constraints?: Readonly<Record<string, BrokenRuleByField>>;
}

export type ResponseShapes = Readonly<Partial<Record<EndpointReply['status'], z.ZodType | RecordShape | null>>>;

export interface EndpointReadStatement extends Statement {
  readonly of?: RecordShape;
}

export const UNLIMITED_ROWS = Infinity;

/**
 * A list's SQL statement selects one row more than the page, to find out whether a next page exists. In Postgres, LIMIT
 * NULL means no limit.
 */
export function computeSqlLimit(limit: number): number | null {
  return limit === UNLIMITED_ROWS ? null : limit + 1;
}

export interface ListQuery {
  readonly of?: RecordShape;
  /** Selects one row more than `limit` (`computeSqlLimit`). With `count=exact` the last column is the list's total. */
  readonly records: Statement;
  readonly limit: number;
  cursor(row: Row): string;
}

interface AccessRules<P extends string, Q extends FieldsSchema, B extends FieldsSchema> {
  readonly roles: readonly Role[];
  /** The clients to which the caller needs access; by default the clients in path, body and query. */
  clients?(input: RequestInput<P, Q, B>): readonly string[];
  /** The client to which the request's rights are limited; by default the one client that the request names. */
  client?(input: RequestInput<P, Q, B>): string | undefined;
  /**
   * The id of the request's record; by default the id in the path. The answer is 404 if the record does not exist, and
   * 403 if the caller may not see it.
   */
  id?(input: RequestInput<P, Q, B>): string;
  /**
   * The statement that refuses a caller who has lost the right to a long answer while it is sent; by default the caller
   * must still see the request's record.
   */
  rights?(input: RequestInput<P, Q, B>): Statement;
  /** Counts the records that prevent a deletion, after Postgres has refused the deletion. */
  heldBy?(input: RequestInput<P, Q, B>): Readonly<Record<string, RecordHolder>>;
  /** Maps a unique constraint to a query for the id of the record that already has the value. */
  existing?(input: RequestInput<P, Q, B>): Readonly<Record<string, Statement>>;
}

type EndpointHandler<P extends string, Q extends FieldsSchema, B extends FieldsSchema> =
  | (RecordEndpoint & { read(input: RequestInput<P, Q, B>, caller: Caller): EndpointReadStatement })
  | (RecordEndpoint & {
      /**
       * Answers 200 with the list's records. If the list is empty and the caller cannot see the record in the path, the
       * answer is 403 or 404.
       */
      list(input: RequestInput<P, Q, B>, caller: Caller): ListQuery;
    })
  | (RecordEndpoint & { create(input: RequestInput<P, Q, B>, id: string): Statement })
  | (RecordEndpoint & {
      /**
       * Answers 200 with the record. With `ifMatch`, the statement changes the row only if `ifMatch` contains the row's
       * ETag.
       */
      change(input: RequestInput<P, Q, B>, ifMatch: readonly string[] | null): StatementOrStatements;
    })
  | (RecordEndpoint & {
      remove(input: RequestInput<P, Q, B>, ifMatch: readonly string[] | null): StatementOrStatements;
    })
  | { handle(input: RequestInput<P, Q, B>, request: CallerRequest): Promise<EndpointReply> };

interface RecordEndpoint {
  readonly of: RecordShape;
}

export type Endpoint<
  P extends string = string,
  Q extends FieldsSchema = FieldsSchema,
  B extends FieldsSchema = FieldsSchema,
> = EndpointOptions<P, Q, B> & AccessRules<P, Q, B> & EndpointHandler<P, Q, B>;

export interface PublicEndpoint<Q extends FieldsSchema = FieldsSchema, B extends FieldsSchema = FieldsSchema>
  extends EndpointOptions<string, Q, B> {
  readonly roles: 'public';
  readonly isProbe?: true;
  /**
   * The caller is unknown until `handle` calls `authenticate`; until then `handle` may read only the state of the
   * service.
   */
  handle(
    input: RequestInput<string, Q, B>,
    database: Database,
    authenticate: (who: string | Caller) => Promise<CallerRequest>,
  ): Promise<EndpointReply>;
}

export function createsRecord(endpoint: Endpoint | PublicEndpoint): boolean {
  return (
    'create' in endpoint ||
    endpoint.isRepeatable === true ||
    (endpoint.responses !== undefined && 201 in endpoint.responses)
  );
}

export function acceptsIfMatch(endpoint: Endpoint | PublicEndpoint): boolean {
  return 'change' in endpoint || 'remove' in endpoint || endpoint.comparesIfMatch === true;
}

function collectClientIds({ params, query, body }: RequestInput): readonly string[] {
  return [params['clientId'], body['client_id'], query['client_id']].flat().filter((id) => typeof id === 'string');
}

export function findSingleClientId(ids: readonly string[] = []): string | undefined {
  return ids.length === 1 ? ids[0] : undefined;
}

/**
 * Adds the default `params`, `id`, `clients` and `client` to the definition of an endpoint, and removes from its query
 * what its path names. The types of the input follow from the path and the schemas.
 */
export function endpoint<const P extends string, Q extends FieldsSchema = NoFields, B extends FieldsSchema = NoFields>(
  definition: Endpoint<P, Q, B>,
): Endpoint {
  const names = [...definition.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const query = definition.query ?? z.strictObject({});
  // A name stands in one place of an operation, because generators of API clients make one argument of it.
  const twice = names.filter((name) => name in query.shape);
  const ownQuery = query.omit(Object.fromEntries(twice.map((name) => [name, true as const])) as Record<string, never>);
  return {
    ...(names.length > 0 && {
      params: z.strictObject(Object.fromEntries(names.map((name) => [name, uuid]))),
      id: ({ params }: RequestInput) => params['id'] ?? params['clientId'] ?? '',
    }),
    ...(definition.clients === undefined && {
      clients: collectClientIds,
      client: (input: RequestInput) => findSingleClientId(collectClientIds(input)),
    }),
    ...(definition as unknown as Endpoint),
    ...(twice.length > 0 && { query: ownQuery }),
    ...('list' in definition && { query: ownQuery.extend(csvParameters) }),
  };
}

export function publicEndpoint<Q extends FieldsSchema = NoFields, B extends FieldsSchema = NoFields>(
  definition: PublicEndpoint<Q, B>,
): PublicEndpoint {
  return definition;
}
