import { hash } from 'node:crypto';
import type { Client, Connection, Submittable, TransactionStatus } from 'pg';
import { LRUCache } from 'lru-cache';
import { DatabaseError, serialize } from 'pg-protocol';
import { DatabaseUnavailable, sqlState } from './errors.ts';
import { PREPARED_STATEMENTS, STATEMENT_DIGESTS } from '../limits.ts';
import type { Parameter, Result, Statement } from './statement.ts';

export interface TaggedResult extends Result {
  readonly tag: string;
}

export interface Outcome {
  readonly results: readonly TaggedResult[];
  readonly error: Error | undefined;
  readonly status: TransactionStatus;
}

/** Statements that are planned under one role: a plan made under one is made anew under another. */
export interface Part {
  readonly role: string;
  readonly statements: readonly Statement[];
}

/** SQLSTATEs of a name that the server connection does not have, or has already: it is another one than before. */
const ELSEWHERE = new Set(['26000', '42P05']);
/** Of a prepared statement whose result type was changed by a migration. */
const CHANGED = '0A000';

export function isStalePlan(error: unknown): boolean {
  return isNameElsewhere(error) || sqlState(error) === CHANGED;
}

/** True where a pooler gave a transaction another server connection than the one on which it was prepared. */
export function isNameElsewhere(error: unknown): boolean {
  return ELSEWHERE.has(sqlState(error) ?? '');
}

/**
 * Sends statements with one Sync, hence one round trip and, unless `begin` is among them, one transaction
 * of their own: all of it is committed once the outcome has no error, nothing of it otherwise.
 * The client must be idle. Server errors are in the outcome. `prepared` is false for a pooler that gives each
 * transaction another server connection: statements have no names then.
 * @throws TypeError or RangeError for a value that cannot be encoded; nothing has been sent then.
 */
export function sendPipeline(client: Client, parts: readonly Part[], prepared: boolean): Promise<Outcome> {
  const known = preparedOn(client);
  return new Promise((resolve) => {
    const { message, parsed } = encode(parts, known, prepared);
    const settle = (outcome: Outcome): void => {
      if (outcome.error === undefined) {
        for (const name of parsed) known.set(name, true);
      } else if (isStalePlan(outcome.error)) {
        for (const name of known.keys()) known.set(name, false);
      }
      resolve(outcome);
    };
    client.query(new Pipeline(client, message, settle));
  });
}

/**
 * Names by connection, least recently used first. False: it may or may not exist there, because the pipeline
 * that carried its Parse failed; nothing is rolled back in a session's list of prepared statements.
 */
const preparedNames = new WeakMap<Client, Map<string, boolean>>();

function preparedOn(client: Client): Map<string, boolean> {
  const known = preparedNames.get(client) ?? new Map<string, boolean>();
  preparedNames.set(client, known);
  return known;
}

/**
 * One buffer, so that a throw in here sends nothing: after half a pipeline a Sync would commit that half.
 * All parameters come first, since they alone can throw: pg's writer and `known` are not touched until then.
 */
function encode(
  parts: readonly Part[],
  known: Map<string, boolean>,
  prepared: boolean,
): { message: Buffer; parsed: readonly string[] } {
  const statements = parts.flatMap(({ role, statements }) =>
    statements.map(({ text, values }) => ({ text, role, parameters: values.map(encodeParameter) })),
  );
  const evictions: Buffer[] = [];
  const messages: Buffer[] = [];
  const parsed = new Set<string>();
  for (const { text, role, parameters } of statements) {
    const name = prepared ? nameOf(text, role) : '';
    if (name === '') {
      messages.push(serialize.parse({ text }));
    } else {
      if (known.get(name) !== true && !parsed.has(name)) {
        // Close is no error for a name that does not exist, Parse is one for a name that does.
        messages.push(serialize.close({ type: 'S', name }), serialize.parse({ name, text }));
        parsed.add(name);
      }
      evictions.push(...touch(known, name));
    }
    messages.push(serialize.bind({ statement: name, values: parameters }), serialize.execute());
  }
  return { message: Buffer.concat([...evictions, ...messages, serialize.sync()]), parsed: [...parsed] };
}

/** Makes the name the most recently used, and gives the messages that close those beyond the limit. */
function touch(known: Map<string, boolean>, name: string): Buffer[] {
  const exists = known.get(name) ?? false;
  known.delete(name);
  known.set(name, exists);
  const [oldest] = known.keys();
  if (known.size <= PREPARED_STATEMENTS || oldest === undefined) return [];
  known.delete(oldest);
  return [serialize.close({ type: 'S', name: oldest })];
}

/** By text, of which there are as many as our endpoints have forms: worked out once, and not for each request. */
const digests = new LRUCache<string, string>({ max: STATEMENT_DIGESTS });

/** At most 63 bytes, as all names of Postgres. */
function nameOf(text: string, role: string): string {
  const digest = digests.get(text) ?? hash('sha256', text, 'hex').slice(0, 32);
  digests.set(text, digest);
  return `${role.slice(0, 30)}_${digest}`;
}

function encodeParameter(value: Parameter): string | null {
  if (value === null || typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (value instanceof Date) return value.toISOString();
  return `{${value.map((element) => `"${element.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;
}

/** What pg calls while the pipeline is under way; no Describe is sent, so rows come without a description. */
class Pipeline implements Submittable {
  readonly #client: Client;
  readonly #message: Buffer;
  readonly #settle: (outcome: Outcome) => void;
  readonly #results: TaggedResult[] = [];
  #rows: (readonly (string | null)[])[] = [];

  constructor(client: Client, message: Buffer, settle: (outcome: Outcome) => void) {
    this.#client = client;
    this.#message = message;
    this.#settle = settle;
  }

  submit(connection: Connection): void {
    connection.stream.write(this.#message);
  }

  handleDataRow(row: { fields: (string | null)[] }): void {
    this.#rows.push(row.fields);
  }

  handleCommandComplete({ text: tag }: { text: string }): void {
    const rowCount = Number(tag.slice(tag.lastIndexOf(' ') + 1));
    this.#results.push({ rows: this.#rows, rowCount: Number.isNaN(rowCount) ? 0 : rowCount, tag });
    this.#rows = [];
  }

  handleEmptyQuery(): void {
    this.handleCommandComplete({ text: '' });
  }

  /** Only here is the transaction committed: deferred constraints fail after the last command is complete. */
  handleReadyForQuery(): void {
    this.#end(undefined, this.#client.getTransactionStatus());
  }

  /**
   * pg lets go of a query at its first error, although the connection is not free before ReadyForQuery,
   * which it then tells nobody. An error that the server did not send is the end of the connection.
   */
  handleError(error: Error, connection: Connection): void {
    if (!(error instanceof DatabaseError)) {
      this.#lost(error);
      return;
    }
    const ready = (): void => {
      connection.off('end', ended);
      this.#end(error, this.#client.getTransactionStatus());
    };
    const ended = (): void => {
      this.#lost(error);
    };
    connection.once('readyForQuery', ready);
    connection.once('end', ended);
  }

  /** COPY has no data to come here and would swallow the Sync: the connection cannot be saved. */
  handleCopyInResponse(connection: Connection): void {
    connection.stream.destroy();
  }

  handleCopyData(): void {}

  #lost(cause: Error): void {
    this.#end(new DatabaseUnavailable('The connection to the database was lost.', { cause }), null);
  }

  #end(error: Error | undefined, status: TransactionStatus): void {
    this.#settle({ results: this.#results, error, status });
  }
}
