import type { Role } from '../../../src/identity/caller.ts';
import type { RightsPlan } from './rights.ts';
import type { Sight } from './sight.ts';

/** One tenant, with a word that stands in all that it stores and in nothing of the others. */
export interface LoadTenant {
  readonly word: string;
  readonly client: string;
  readonly site: string;
  readonly claim: string;
}

/** Somebody with a token of one tenant. */
export interface Person {
  readonly subject: string;
  readonly role: Role;
  readonly tenant: LoadTenant;
  readonly token: string;
}

export interface Claim {
  readonly id: string;
  readonly status: string;
  /** It may have documents, which would go with it. */
  readonly hasDocuments: boolean;
}

interface Upload {
  readonly id: string;
  readonly content: string;
}

/** What one worker has stored and knows the state of; whatever had no answer is taken out and left alone. */
export interface Belongings {
  readonly sites: string[];
  /** What it must be shown. */
  readonly sight: Sight;
  readonly claims: Claim[];
  readonly uploads: Upload[];
  /** Drafts of invoices. */
  readonly drafts: string[];
}

/** How much the people of one tenant have sent, answered or not, and what was there before. */
export interface Tally {
  claims: number;
}

/** What the load is told before it begins. */
export interface Plan {
  readonly port: number;
  readonly journal: string;
  readonly seed: number;
  readonly people: readonly Person[];
  /** Where rights change as well, and the ports of all instances. */
  readonly rights?: RightsPlan;
  readonly ports?: readonly number[];
  /** Operations that are not chosen. */
  readonly without: readonly string[];
  /** How long a worker waits between two requests, on the average. */
  readonly thinkMs: number;
}
