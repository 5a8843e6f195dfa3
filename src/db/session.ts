import type { PoolClient } from 'pg';
import { sqlState } from './errors.ts';
import { sendFlight } from './flight.ts';
import type { TaggedResult } from './flight.ts';
import type { Statement } from './statement.ts';

export interface SendOptions {
  /** The role that the settings set: a statement is planned anew under another. */
  readonly role: string;
  /** Sent before the statements; what they give is dropped. */
  readonly settings?: readonly Statement[];
  /** How the flight must leave the connection: idle, or inside an explicit transaction. */
  readonly leaves: 'idle' | 'in transaction';
}

const STATUS = { idle: 'I', 'in transaction': 'T' } as const;

/** A connection while one request has it, and the judgement whether another may have it afterwards. */
export class Session {
  readonly #client: PoolClient;
  readonly #prepared: boolean;
  #settingsRefused = false;

  constructor(client: PoolClient, prepared: boolean) {
    this.#client = client;
    this.#prepared = prepared;
  }

  get inTransaction(): boolean {
    return this.#client.getTransactionStatus() !== 'I';
  }

  /**
   * One flight: one result per statement, without those of the settings.
   * @throws DatabaseError, DatabaseUnavailable, or an Error when the connection is not left as it should be.
   */
  async send(
    statements: readonly Statement[],
    { role, settings = [], leaves }: SendOptions,
  ): Promise<readonly TaggedResult[]> {
    const { results, error, status } = await sendFlight(this.#client, [...settings, ...statements], {
      role,
      prepared: this.#prepared,
    });
    if (error !== undefined) {
      // Not the caller's doing, so it must not be answered as a refusal: either the login may not do what
      // it must, or something before this request changed the session, which the next connection mends.
      if (results.length < settings.length && sqlState(error) === '42501') {
        this.#settingsRefused = true;
        throw new Error('The settings of the request were refused.', { cause: error });
      }
      throw error;
    }
    if (status !== STATUS[leaves]) {
      throw new Error(`The statements left the connection in state ${String(status)}.`);
    }
    return results.slice(settings.length);
  }

  async sendOne(statement: Statement, options: SendOptions): Promise<TaggedResult> {
    const [result] = await this.send([statement], options);
    if (result === undefined) throw new Error('The server gave no result for a statement.');
    return result;
  }

  /**
   * Gives the connection back only if the server said last that it is outside any transaction. Any other is
   * closed, which ends its transaction too: after a COMMIT or ROLLBACK that failed, the next request would run
   * inside what is left of this one. One that was lost the pool drops by itself.
   */
  release(): void {
    this.#client.release(this.#settingsRefused || this.inTransaction);
  }
}
