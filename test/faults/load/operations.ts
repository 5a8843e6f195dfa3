import type { OutgoingHttpHeaders } from 'node:http';
import type { Role } from '../../../src/identity/caller.ts';
import type { Kind } from '../journal.ts';
import type { Random } from './random.ts';
import type { Belongings, LoadTenant, Person, Tally } from './people.ts';
import { CHANGES } from './changes.ts';
import { CREATIONS, HUNG_UP } from './creations.ts';
import { READS } from './reads.ts';
import { REFUSALS } from './refused.ts';

/** The simulated user who sends a request of the load test, and the records that the request can use. */
export interface Situation {
  readonly person: Person;
  readonly own: Belongings;
  readonly others: readonly LoadTenant[];
  readonly tally: Tally;
  readonly random: Random;
  /** A number and a text that belong to this request of the load test alone. */
  readonly serial: number;
  readonly marker: string;
  /**
   * A valid token that is signed with a new key, which the service has perhaps not fetched from the identity provider
   * yet.
   */
  readonly newToken: string | undefined;
}

/** A request of the load test, and the function that checks its answer. */
export interface Wanted {
  readonly line: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: object | Buffer;
  /** The token of a load test’s request. Null means no token, and absent means the user’s own token. */
  readonly token?: string | null;
  readonly marker?: string;
  readonly record?: string;
  readonly expects: readonly number[];
  /** The load test closes the request’s connection after this time, in milliseconds, without waiting for the answer. */
  readonly hangUpMs?: number;
  /** Checks the content of an answer that has the expected status. Returns what is wrong; null if nothing is wrong. */
  readonly answered?: (body: Buffer) => string | null;
  /**
   * Returns the rows of another tenant that a success answer shows. The load test also searches every answer for texts
   * of other tenants.
   */
  readonly foreign?: (body: Buffer) => string[];
}

export interface Operation {
  readonly name: string;
  readonly kind: Kind;
  readonly table?: string;
  /**
   * How often the load test sends this kind of request, relative to the other kinds. With 0, only a test that causes a
   * failure sends it.
   */
  readonly weight: number;
  readonly roles: readonly Role[];
  /** The percentage of these requests that the load test sends with an Idempotency-Key. */
  readonly keyed?: number;
  /** Prepares a request of this kind; undefined if the simulated user lacks the record that such a request needs. */
  prepare(situation: Situation): Wanted | undefined;
}

export const OPERATIONS: readonly Operation[] = [...READS, ...CREATIONS, HUNG_UP, ...CHANGES, ...REFUSALS];
