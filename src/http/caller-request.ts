import type { Request } from 'express';
import type { Database, TransactionLimits } from '../db/database.ts';
import type { Result, Statement } from '../db/statement.ts';
import type { Run } from '../db/transaction.ts';
import type { Documents } from '../documents/documents.ts';
import type { Caller } from '../identity/caller.ts';
import { ifMatchOf } from './preconditions.ts';
import type { AdmittedState } from './request-state.ts';

/** What requests are answered from. */
export interface Sources {
  readonly database: Database;
  /** The contents of documents; which of them the caller may have, the rows of documents say. */
  readonly documents: Documents;
}

/** One statement, or several in one transaction, of which the last one's row is the answer. */
export type Statements = Statement | readonly Statement[];

/** What a request whose caller is known may ask: the database, as the caller and with the caller's rights alone. */
export class CallerRequest implements Sources {
  readonly state: AdmittedState;
  readonly caller: Caller;
  /** The request itself, for a body that is no JSON. */
  readonly incoming: Request;
  readonly database: Database;
  readonly documents: Documents;
  /** Its `Idempotency-Key`, where the endpoint creates. */
  readonly key: string | undefined;
  /** The entity tags of `If-Match`; null where the request has none, or `*`. */
  readonly ifMatch: readonly string[] | null;

  constructor(state: AdmittedState, incoming: Request, { database, documents }: Sources, key?: string) {
    this.state = state;
    this.caller = state.caller;
    this.incoming = incoming;
    this.database = database;
    this.documents = documents;
    this.key = key;
    this.ifMatch = ifMatchOf(incoming);
  }

  /** A transaction of its own, in one pipeline; gives what the last of several statements gave. */
  run(statements: Statements, record?: AdmittedState['record']): Promise<Result> {
    const state = record === undefined ? this.state : { ...this.state, record };
    return this.database.run(state, [statements].flat()).then((results) => {
      const result = results.at(-1);
      if (result === undefined) throw new Error('a statement without a result');
      return result;
    });
  }

  /** Statements that do not depend on each other, in one transaction and one pipeline. */
  runAll(...statements: readonly Statement[]): Promise<readonly Result[]> {
    return this.database.run(this.state, statements);
  }

  /** For statements that depend on each other. `work` is done again where a deadlock has undone it. */
  transaction<T>(work: (run: Run) => Promise<T>, limits?: TransactionLimits): Promise<T> {
    return this.database.transaction(this.state, work, limits);
  }

  /** The same caller confined to one client, also to one that this request is about to create. */
  within(client: string): CallerRequest {
    return new CallerRequest({ ...this.state, client }, this.incoming, this, this.key);
  }
}
