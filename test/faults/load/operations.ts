import type { OutgoingHttpHeaders } from 'node:http';
import type { Role } from '../../../src/identity/caller.ts';
import type { Kind } from '../journal.ts';
import type { Random } from './random.ts';
import type { Belongings, LoadTenant, Person, Tally } from './people.ts';
import { CHANGES } from './changes.ts';
import { CREATIONS, HUNG_UP } from './creations.ts';
import { READS } from './reads.ts';
import { REFUSALS } from './refused.ts';

/** The person who sends a request of the load test, and the records that the request may use. */
export interface Situation {
  readonly person: Person;
  readonly own: Belongings;
  readonly others: readonly LoadTenant[];
  /** The number of claims that all people of the tenant have tried to create in the load test. */
  readonly tally: Tally;
  readonly random: Random;
  /** A number and a text that no other request of the load test has. */
  readonly serial: number;
  readonly marker: string;
  /** A valid token that is signed with a new key, which the service may not have fetched yet. */
  readonly newToken: string | undefined;
}

/** A request of the load test, and the function that checks its answer. */
export interface Wanted {
  readonly line: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: object | Buffer;
  /** The token of a load test’s request: the person’s token if absent, and no token if null. */
  readonly token?: string | null;
  readonly marker?: string;
  readonly record?: string;
  readonly expects: readonly number[];
  /**
   * The milliseconds after which the sender of a load test’s request closes the connection without waiting for the
   * answer.
   */
  readonly hangUpMs?: number;
  /** Checks an answer with the expected status, and returns what is wrong with the answer; null if nothing is wrong. */
  readonly answered?: (body: Buffer) => string | null;
  /**
   * Returns the rows of another tenant in a success answer. The load test also searches every answer for texts of other
   * tenants.
   */
  readonly foreign?: (body: Buffer) => string[];
}

export interface Operation {
  readonly name: string;
  readonly kind: Kind;
  readonly table?: string;
  /**
   * How often the load test chooses this operation, relative to the other operations; 0 for an operation that only a
   * fault requests.
   */
  readonly weight: number;
  readonly roles: readonly Role[];
  /** The percentage of requests of this operation that have an Idempotency-Key. */
  readonly keyed?: number;
  /** Prepares a request of this operation; undefined if the person has no record that the operation needs. */
  prepare(situation: Situation): Wanted | undefined;
}

export const OPERATIONS: readonly Operation[] = [...READS, ...CREATIONS, HUNG_UP, ...CHANGES, ...REFUSALS];
