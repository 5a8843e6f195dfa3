import { randomUUID } from 'node:crypto';
import { cheapHash, PRESENT } from '../support/user-with-password.ts';
import type { ProviderUpdate } from './provider-updates.ts';
import type { Admin } from '../support/world.ts';

/** Somebody whom the provider and the database know, with the rights of the beginning. */
export interface Person {
  readonly id: string;
  readonly subject: string;
  readonly email: string;
  readonly role: string;
  readonly clients: readonly string[];
}

/** A process that is killed. */
export interface Victim {
  readonly name: string;
  readonly isRunning: boolean;
  /** Whether it has said, since it was last started, that it serves. */
  readonly isServing: boolean;
  /** Resolves once it has ended. */
  kill(): Promise<unknown>;
  start(): Promise<void>;
}

/** A service with its provider, as the loop uses and kills it. */
export interface LoopWorld {
  readonly people: readonly Person[];
  readonly admins: readonly Person[];
  readonly clients: readonly string[];
  readonly victims: readonly Victim[];
  /** The ports of the API's instances. */
  readonly ports: readonly number[];
  /** A token that the provider issues now; undefined where it lets nobody in, or is away. */
  logIn(person: Person): Promise<string | undefined>;
  /** Logins that were refused for the number of those before them, which says nothing of rights. */
  readonly turnedAway: number;
  readonly admin: Admin;
  /** What the provider was told, where it is another than the database. */
  providerUpdates(): Promise<readonly ProviderUpdate[] | undefined>;
  /** Ends the API's instances in order: what they are doing is done then. */
  end(): Promise<void>;
  close(): Promise<void>;
}

const CLIENTS = 24;
const PEOPLE = 6;

interface Seed {
  readonly people: readonly Person[];
  readonly admins: readonly Person[];
  readonly clients: readonly string[];
  readonly password: string;
  into(admin: LoopWorld['admin']): Promise<void>;
}

/** The same users and clients for every world. */
export function newSeed(): Seed {
  const clients = Array.from({ length: CLIENTS }, () => randomUUID());
  const person = (role: string, listed: readonly string[]): Person => {
    const id = randomUUID();
    return { id, subject: `auth0|${id}`, email: `${id}@users.example`, role, clients: listed };
  };
  const people = Array.from({ length: PEOPLE }, () => person('ACCOUNT_MANAGER', clients.slice(0, 3)));
  const admins = [person('ADMIN', []), person('ADMIN', [])];
  return {
    ...{ people, admins, clients, password: PRESENT },
    async into(admin) {
      await admin(
        `insert into public.clients (id, company_name, contact_email)
         select c, 'Client ' || c, 'a@b.example' from unnest($1::uuid[]) as c`,
        [clients],
      );
      const hash = await cheapHash(PRESENT);
      for (const { id, subject, email, role, clients: listed } of [...admins, ...people]) {
        await admin(
          `insert into public.users (id, email, password_hash, name, role, client_access, subject)
           values ($1, $2, $3, 'Dupont', $4, $5, $6)`,
          [id, email, hash, role, listed, subject],
        );
      }
    },
  };
}
