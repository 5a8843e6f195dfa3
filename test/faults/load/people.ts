import type { Role } from '../../../src/identity/caller.ts';
import type { RightsPlan } from './rights.ts';
import type { Sight } from './sight.ts';

/**
 * A tenant of the load test. A word of its own is in each of its texts and in no text of another tenant, so that a leak
 * is recognised.
 */
export interface LoadTenant {
  readonly word: string;
  readonly client: string;
  readonly site: string;
  readonly claim: string;
}

/** A simulated user of the load test, with a role, and with a token for the clients of one tenant. */
export interface Person {
  readonly subject: string;
  readonly role: Role;
  readonly tenant: LoadTenant;
  readonly token: string;
}

export interface Claim {
  readonly id: string;
  readonly status: string;
  /** True if the claim can have documents, which would be deleted together with the claim. */
  readonly hasDocuments: boolean;
}

interface Upload {
  readonly id: string;
  readonly content: string;
}

/**
 * The records that one simulated user of the load test has stored. A record whose change got no answer is removed from
 * this list, because its state is unknown.
 */
export interface Belongings {
  readonly sites: string[];
  /** The writes of one simulated user of the load test. Every later answer to this user must show them. */
  readonly sight: Sight;
  readonly claims: Claim[];
  readonly uploads: Upload[];
  readonly drafts: string[];
}

/**
 * How many claims one tenant can have: those from before the load test, and all that the load test has tried to create.
 */
export interface Tally {
  claims: number;
}

/** What the process that sends a load test’s requests must know before it starts. */
export interface Plan {
  readonly port: number;
  readonly journal: string;
  readonly seed: number;
  readonly people: readonly Person[];
  /**
   * The users whose rights the load test changes, and the ports of all instances of the service. The field is absent if
   * the load test changes no rights.
   */
  readonly rights?: RightsPlan;
  readonly ports?: readonly number[];
  /** The kinds of requests that the load test does not send. */
  readonly without: readonly string[];
  /** How many milliseconds each simulated user of the load test waits between two requests, on average. */
  readonly thinkMs: number;
}
