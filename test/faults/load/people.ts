import type { Role } from '../../../src/identity/caller.ts';
import type { RightsPlan } from './rights.ts';
import type { Sight } from './sight.ts';

/**
 * A tenant of the load test, with a word that is in each stored text of the tenant and in no text of another tenant.
 */
export interface LoadTenant {
  readonly word: string;
  readonly client: string;
  readonly site: string;
  readonly claim: string;
}

/** A person who sends requests of the load test, with a role and a token for the clients of one tenant. */
export interface Person {
  readonly subject: string;
  readonly role: Role;
  readonly tenant: LoadTenant;
  readonly token: string;
}

export interface Claim {
  readonly id: string;
  readonly status: string;
  /** True if the claim may have documents, which a deletion of the claim would delete too. */
  readonly hasDocuments: boolean;
}

interface Upload {
  readonly id: string;
  readonly content: string;
}

/**
 * The records that one person of the load test has stored and whose state is known. A record whose change got no answer
 * is removed from this list.
 */
export interface Belongings {
  readonly sites: string[];
  /** The writes of one person of the load test that every later answer to this person must show. */
  readonly sight: Sight;
  readonly claims: Claim[];
  readonly uploads: Upload[];
  /** The ids of the draft invoices that one person of the load test has created. */
  readonly drafts: string[];
}

/** The number of claims of one tenant: those before the load test, and those that its requests may have created. */
export interface Tally {
  claims: number;
}

/** The plan of a load test, which the process that sends its requests reads before it starts. */
export interface Plan {
  readonly port: number;
  readonly journal: string;
  readonly seed: number;
  readonly people: readonly Person[];
  /**
   * The users whose rights the load test changes, and the ports of all instances of the service; absent if no rights
   * change.
   */
  readonly rights?: RightsPlan;
  readonly ports?: readonly number[];
  /** The names of operations (kinds of requests) that the load test does not send. */
  readonly without: readonly string[];
  /** The average milliseconds that each person of the load test waits between two requests. */
  readonly thinkMs: number;
}
