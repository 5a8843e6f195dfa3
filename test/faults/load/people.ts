import type { Role } from '../../../src/identity/caller.ts';
import type { RightsPlan } from './rights.ts';
import type { Sight } from './sight.ts';

/** A tenant of the load, with a word that is in each of its stored texts and in no text of another tenant. */
export interface LoadTenant {
  readonly word: string;
  readonly client: string;
  readonly site: string;
  readonly claim: string;
}

/** A person with a role and a token for the clients of one tenant. */
export interface Person {
  readonly subject: string;
  readonly role: Role;
  readonly tenant: LoadTenant;
  readonly token: string;
}

export interface Claim {
  readonly id: string;
  readonly status: string;
  /** Whether the claim may have documents, which a deletion of the claim would delete too. */
  readonly hasDocuments: boolean;
}

interface Upload {
  readonly id: string;
  readonly content: string;
}

/**
 * The records that one worker has stored and whose state it knows. A record whose change got no answer is removed from
 * here.
 */
export interface Belongings {
  readonly sites: string[];
  /** What answers to this worker must show. */
  readonly sight: Sight;
  readonly claims: Claim[];
  readonly uploads: Upload[];
  /** The ids of the worker’s draft invoices. */
  readonly drafts: string[];
}

/** The number of claims of one tenant: those before the load, and those that requests may have created. */
export interface Tally {
  claims: number;
}

/** The plan that the load process reads before it starts. */
export interface Plan {
  readonly port: number;
  readonly journal: string;
  readonly seed: number;
  readonly people: readonly Person[];
  /** The users whose rights change, and the ports of all instances; absent if no rights change. */
  readonly rights?: RightsPlan;
  readonly ports?: readonly number[];
  /** The names of operations that the load does not choose. */
  readonly without: readonly string[];
  /** The average milliseconds that a worker waits between two requests. */
  readonly thinkMs: number;
}
