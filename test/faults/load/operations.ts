import type { OutgoingHttpHeaders } from 'node:http';
import type { Role } from '../../../src/identity/caller.ts';
import type { Kind } from '../journal.ts';
import type { Random } from './random.ts';
import type { Belongings, LoadTenant, Person, Tally } from './people.ts';
import { CHANGES } from './changes.ts';
import { CREATIONS, HUNG_UP } from './creations.ts';
import { READS } from './reads.ts';
import { REFUSALS } from './refused.ts';

/** Who asks, and what they have to ask it with. */
export interface Situation {
  readonly person: Person;
  readonly own: Belongings;
  readonly others: readonly LoadTenant[];
  /** What all people of the tenant have sent. */
  readonly tally: Tally;
  readonly random: Random;
  /** A number, and a text, that no other request has. */
  readonly serial: number;
  readonly marker: string;
  /** A token that was signed with a key of which the service may not know yet. */
  readonly newToken: string | undefined;
}

/** One request, and what to do with its answer. */
export interface Wanted {
  readonly line: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: object | Buffer;
  /** The person's when absent; null for none. */
  readonly token?: string | null;
  readonly marker?: string;
  readonly record?: string;
  readonly expects: readonly number[];
  /** Hangs up so soon after it has been sent. */
  readonly hangUpMs?: number;
  /** Looks at an answer that was expected; gives what is wrong with it. */
  readonly answered?: (body: Buffer) => string | null;
  /** What of another tenant a good answer holds beyond its text. */
  readonly foreign?: (body: Buffer) => string[];
}

export interface Operation {
  readonly name: string;
  readonly kind: Kind;
  readonly table?: string;
  /** How often it is chosen; 0 for those that are only sent when a fault asks for them. */
  readonly weight: number;
  readonly roles: readonly Role[];
  /** How many of a hundred are sent with a key. */
  readonly keyed?: number;
  /** Undefined where the person has nothing to do it with. */
  prepare(situation: Situation): Wanted | undefined;
}

export const OPERATIONS: readonly Operation[] = [...READS, ...CREATIONS, HUNG_UP, ...CHANGES, ...REFUSALS];
