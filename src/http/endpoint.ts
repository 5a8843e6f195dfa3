import type { z } from 'zod';
import type { Database } from '../db/database.ts';
import type { Result, Statement } from '../db/statement.ts';
import type { Caller, Role } from '../identity/caller.ts';

type Fields = z.ZodObject;
type NoFields = z.ZodObject<Record<string, never>>;

/** What a request says, after its schemas: nothing that they do not name. */
export interface Input<P extends Fields = Fields, Q extends Fields = Fields, B extends Fields = Fields> {
  readonly params: z.output<P>;
  readonly query: z.output<Q>;
  readonly body: z.output<B>;
}

/** What an endpoint written out in full may ask, as the caller and with the caller's rights alone. */
export interface CallerRequest {
  readonly caller: Caller;
  run(statement: Statement): Promise<Result>;
  transaction<T>(work: (run: (statement: Statement) => Promise<Result>) => Promise<T>): Promise<T>;
}

/** What an endpoint without a caller may ask. */
export interface PublicRequest {
  /** Only for questions about the service itself, through `own`: there is no caller whose rights would apply. */
  readonly database: Database;
  /** @throws RequestError ERROR_UNAUTHORIZED, audited as any other */
  authenticate(token: string): Promise<CallerRequest>;
}

interface Shape<P extends Fields, Q extends Fields, B extends Fields> {
  readonly method: 'get' | 'post' | 'put' | 'delete';
  /** As OpenAPI writes it: `/api/clients/{clientId}`. */
  readonly path: string;
  readonly summary: string;
  readonly tag: string;
  /** The table of the record that `id` gives, otherwise of the records that the endpoint is about. */
  readonly resource: string;
  /** Strict objects: what they do not name is refused. A part without a schema takes nothing. */
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  /** The body of a success, as JSON. */
  readonly responses: { readonly 200: z.ZodType };
}

interface Rights<P extends Fields, Q extends Fields, B extends Fields> {
  readonly roles: readonly Role[];
  /** The client that the request names: it is held against the caller's clients before anything is read. */
  client?(input: Input<P, Q, B>): string | undefined;
  /** The id of the one record that the request names: where it is not visible, tells 403 from 404. */
  id?(input: Input<P, Q, B>): string;
}

type Answer<P extends Fields, Q extends Fields, B extends Fields> =
  /** One statement whose one row is the record, as JSON text. */
  | { record(input: Input<P, Q, B>, caller: Caller): Statement }
  /** One statement whose rows are the records; below a record in the path, a single null stands for none. */
  | { list(input: Input<P, Q, B>, caller: Caller): Statement }
  /** Written out in full; gives the JSON text of the body. */
  | { handle(input: Input<P, Q, B>, request: CallerRequest): Promise<string> };

export type Endpoint<P extends Fields = Fields, Q extends Fields = Fields, B extends Fields = Fields> = Shape<
  P,
  Q,
  B
> &
  Rights<P, Q, B> &
  Answer<P, Q, B>;

export interface PublicEndpoint<
  P extends Fields = Fields,
  Q extends Fields = Fields,
  B extends Fields = Fields,
> extends Shape<P, Q, B> {
  readonly roles: 'public';
  handle(input: Input<P, Q, B>, request: PublicRequest): Promise<string>;
}

/** Types the input of an endpoint by its schemas. */
export function endpoint<
  P extends Fields = NoFields,
  Q extends Fields = NoFields,
  B extends Fields = NoFields,
>(definition: Endpoint<P, Q, B>): Endpoint {
  return definition;
}

/** The same for an endpoint that needs no token. */
export function publicEndpoint<
  P extends Fields = NoFields,
  Q extends Fields = NoFields,
  B extends Fields = NoFields,
>(definition: PublicEndpoint<P, Q, B>): PublicEndpoint {
  return definition;
}
