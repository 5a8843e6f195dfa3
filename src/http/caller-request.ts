import type { Request } from 'express';
import type { Database, TransactionLimits } from '../db/database.ts';
import type { StatementResult, Statement } from '../db/statement.ts';
import type { SavepointStatementRunner, StatementRunner, UndoneWorkRunner } from '../db/transaction.ts';
import type { Documents } from '../documents/documents.ts';
import type { Caller } from '../identity/caller.ts';
import type { ChangeStreams } from './change-streams.ts';
import { readIfMatchEtags } from './preconditions.ts';
import type { AdmittedRequestState } from './request-state.ts';

export interface RequestServices {
  readonly database: Database;
  /**
   * The store of document contents. The caller may read a document's content if the row policies show the caller the
   * document's row in table `documents`.
   */
  readonly documents: Documents;
  readonly changes: ChangeStreams;
  /** The path under which a proxy offers the service, such as `/tax`; empty at the root of its host. */
  readonly publicPath: string;
}

export type StatementOrStatements = Statement | readonly Statement[];

/** A request with a known caller; every statement runs with the caller's rights. */
export class CallerRequest implements RequestServices {
  readonly state: AdmittedRequestState;
  readonly caller: Caller;
  readonly incoming: Request;
  readonly database: Database;
  readonly documents: Documents;
  readonly changes: ChangeStreams;
  readonly publicPath: string;
  readonly key: string | undefined;
  readonly ifMatch: readonly string[] | null;

  constructor(
    state: AdmittedRequestState,
    incoming: Request,
    { database, documents, changes, publicPath }: RequestServices,
    key?: string,
  ) {
    this.state = state;
    this.caller = state.caller;
    this.incoming = incoming;
    this.database = database;
    this.documents = documents;
    this.changes = changes;
    this.publicPath = publicPath;
    this.key = key;
    this.ifMatch = readIfMatchEtags(incoming);
  }

  run(statements: StatementOrStatements, record?: AdmittedRequestState['record']): Promise<StatementResult> {
    const state = record === undefined ? this.state : { ...this.state, record };
    return this.database.run(state, [statements].flat()).then((results) => {
      const result = results.at(-1);
      if (result === undefined) throw new Error('a statement without a result');
      return result;
    });
  }

  runAll(...statements: readonly Statement[]): Promise<readonly StatementResult[]> {
    return this.database.run(this.state, statements);
  }

  /** Runs statements that depend on each other in one transaction. After a deadlock the transaction runs again. */
  transaction<T>(
    work: (run: StatementRunner, attempt: SavepointStatementRunner, undo: UndoneWorkRunner) => Promise<T>,
    limits?: TransactionLimits,
  ): Promise<T> {
    return this.database.transaction(this.state, work, limits);
  }

  /** Returns the same request, limited to the rights for `client`; the request may create this client later. */
  within(client: string): CallerRequest {
    return new CallerRequest({ ...this.state, client }, this.incoming, this, this.key);
  }
}
