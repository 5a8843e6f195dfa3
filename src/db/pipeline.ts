import { hash } from 'node:crypto';
import type { Client, Connection, Submittable, TransactionStatus } from 'pg';
import { LRUCache } from 'lru-cache';
import { DatabaseError, serialize } from 'pg-protocol';
import { DatabaseUnavailable, sqlState } from './errors.ts';
import { MAX_PREPARED_STATEMENTS, CACHED_STATEMENT_NAMES } from '../limits.ts';
import type { StatementParameter, StatementResult, Statement } from './statement.ts';

export interface TaggedResult extends StatementResult {
  readonly tag: string;
}

export interface PipelineOutcome {
  readonly results: readonly TaggedResult[];
  readonly error: Error | undefined;
  readonly status: TransactionStatus;
}

/** Statements that all run under one role, because Postgres plans a prepared statement again after a change of role. */
export interface RoleBatch {
  readonly role: string;
  readonly statements: readonly Statement[];
}

/** SQLSTATEs for an unknown or taken statement name: invalid_sql_statement_name, duplicate_prepared_statement. */
const UNKNOWN_STATEMENT_SQLSTATES = new Set(['26000', '42P05']);
/** SQLSTATE feature_not_supported: a migration changed the result type of a prepared statement. */
const RESULT_TYPE_CHANGED_SQLSTATE = '0A000';

export function isStalePlan(error: unknown): boolean {
  return isUnknownStatementName(error) || sqlState(error) === RESULT_TYPE_CHANGED_SQLSTATE;
}

/** True if the server does not know a prepared statement, because a pooler switched to another server connection. */
export function isUnknownStatementName(error: unknown): boolean {
  return UNKNOWN_STATEMENT_SQLSTATES.has(sqlState(error) ?? '');
}

/**
 * Sends SQL statements in one round trip with one Sync message. Unless one of the statements is `begin`, they all form
 * one transaction; it is committed if the outcome has no error. The pg client must be idle when the pipeline starts.
 * Without `isPrepared` the pipeline sends unnamed statements.
 * @throws TypeError or RangeError, before anything is sent, for a value that cannot be encoded
 */
export function sendPipeline(
  client: Client,
  batches: readonly RoleBatch[],
  isPrepared: boolean,
): Promise<PipelineOutcome> {
  const names = namesOf(client);
  return new Promise((resolve) => {
    const { message, parsed } = encodePipeline(batches, names, isPrepared);
    client.query(
      new Pipeline(client, message, (outcome) => {
        if (outcome.error === undefined) {
          for (const name of parsed) names.set(name, true);
        } else if (isStalePlan(outcome.error)) {
          for (const name of names.keys()) names.set(name, false);
        }
        resolve(outcome);
      }),
    );
  });
}

/**
 * The names of each connection's prepared statements, least recently used first. The map's value is false for a
 * statement that must be prepared again; Postgres may still have the statement, because a rollback keeps it.
 */
const statementNamesByClient = new WeakMap<Client, Map<string, boolean>>();

function namesOf(client: Client): Map<string, boolean> {
  const names = statementNamesByClient.get(client) ?? new Map<string, boolean>();
  statementNamesByClient.set(client, names);
  return names;
}

/**
 * Writes all messages into one buffer: a Sync message after half of the statements would commit that half. Encodes the
 * parameters before it changes `names`, because the encoding can throw.
 */
function encodePipeline(
  batches: readonly RoleBatch[],
  names: Map<string, boolean>,
  isPrepared: boolean,
): { message: Buffer; parsed: ReadonlySet<string> } {
  const encoded = batches.flatMap(({ role, statements }) =>
    statements.map(({ text, values }) => ({ text, role, parameters: values.map(encodeParameter) })),
  );
  const closing: Buffer[] = [];
  const messages: Buffer[] = [];
  const parsed = new Set<string>();
  for (const { text, role, parameters } of encoded) {
    const name = isPrepared ? nameOf(text, role) : '';
    if (name === '') {
      messages.push(serialize.parse({ text }));
    } else {
      if (names.get(name) !== true && !parsed.has(name)) {
        // Sends Close before Parse, because Parse fails for an existing name, but Close accepts a missing name.
        messages.push(serialize.close({ type: 'S', name }), serialize.parse({ name, text }));
        parsed.add(name);
      }
      closing.push(...markUsed(names, name));
    }
    messages.push(serialize.bind({ statement: name, values: parameters }), serialize.execute());
  }
  return { message: Buffer.concat([...closing, ...messages, serialize.sync()]), parsed };
}

function markUsed(names: Map<string, boolean>, name: string): Buffer[] {
  const wasParsed = names.get(name) ?? false;
  names.delete(name);
  names.set(name, wasParsed);
  if (names.size <= MAX_PREPARED_STATEMENTS) return [];
  const [oldest = ''] = names.keys();
  names.delete(oldest);
  return [serialize.close({ type: 'S', name: oldest })];
}

const namesByText = new LRUCache<string, Map<string, string>>({
  max: CACHED_STATEMENT_NAMES,
  memoMethod: () => new Map(),
});

/** Returns the name of a prepared statement; it has at most 63 bytes, the limit for names in Postgres. */
function nameOf(text: string, role: string): string {
  const byRole = namesByText.memo(text);
  let statementName = byRole.get(role);
  if (statementName === undefined) {
    statementName = `${role.slice(0, 30)}_${hash('sha256', text, 'hex').slice(0, 32)}`;
    byRole.set(role, statementName);
  }
  return statementName;
}

function encodeParameter(value: StatementParameter): string | null {
  if (value === null || typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (value instanceof Date) return value.toISOString();
  return `{${value.map((element) => `"${element.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;
}

/** The driver pg calls a Pipeline's methods. A pipeline sends no Describe, so Postgres sends no row descriptions. */
class Pipeline implements Submittable {
  readonly #client: Client;
  readonly #message: Buffer;
  readonly #settle: (outcome: PipelineOutcome) => void;
  readonly #results: TaggedResult[] = [];
  #rows: (readonly (string | null)[])[] = [];

  constructor(client: Client, message: Buffer, settle: (outcome: PipelineOutcome) => void) {
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

  /** Only ReadyForQuery confirms the commit: after the last CommandComplete deferred constraints may still fail. */
  handleReadyForQuery(): void {
    this.#end(undefined, this.#client.getTransactionStatus());
  }

  /**
   * The driver pg forgets a query at its first error. The pipeline therefore listens for ReadyForQuery itself, because
   * the connection is not free before that message.
   */
  handleError(error: Error, connection: Connection): void {
    // An error that the server did not send means that the connection is lost.
    if (!(error instanceof DatabaseError)) {
      this.#endAsLost(error);
      return;
    }
    const onReady = (): void => {
      connection.off('end', onEnd);
      this.#end(error, this.#client.getTransactionStatus());
    };
    const onEnd = (): void => {
      this.#endAsLost(error);
    };
    connection.once('readyForQuery', onReady);
    connection.once('end', onEnd);
  }

  /** Destroys the connection on COPY FROM STDIN, because Postgres would wait for data and ignore the Sync message. */
  handleCopyInResponse(connection: Connection): void {
    connection.stream.destroy();
  }

  handleCopyData(): void {}

  #endAsLost(cause: Error): void {
    this.#end(new DatabaseUnavailable('The connection to the database was lost.', { cause }), null);
  }

  #end(error: Error | undefined, status: TransactionStatus): void {
    this.#settle({ results: this.#results, error, status });
  }
}
