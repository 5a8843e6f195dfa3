import type { Role } from '../../src/identity/caller.ts';
import type { TestIdentity } from '../support/identity.ts';
import { namesOf } from './firm.ts';
import type { Firm, FirmNames } from './firm.ts';

/**
 * The callers are users of a firm with two clients. Some callers have both clients, some have one, and some have none.
 * Another tenant exists only in some of the compared databases: `namesake` has the id of a user of that tenant, and
 * `borrower` has the email of one.
 */
export const WHO = ['admin', 'manager', 'specialist', 'client', 'single', 'none', 'namesake', 'borrower'] as const;
export type Who = (typeof WHO)[number];

export interface Callers {
  readonly firm: Firm;
  readonly names: FirmNames;
  readonly tokens: Readonly<Record<Who, string>>;
}

const ROLES: Readonly<Record<Who, Role>> = {
  admin: 'ADMIN',
  manager: 'ACCOUNT_MANAGER',
  specialist: 'TAX_SPECIALIST',
  client: 'CLIENT',
  single: 'ADMIN',
  none: 'ACCOUNT_MANAGER',
  namesake: 'CLIENT',
  borrower: 'CLIENT',
};

/**
 * The number of each caller whom the database stores as a user of the firm. The database does not store the other
 * callers.
 */
const STORED: Partial<Readonly<Record<Who, number>>> = { manager: 3, specialist: 4, client: 5, admin: 6 };

const CLAIMS = 8;

/** Creates access tokens for the users of a firm that all compared databases have. */
export async function newCallers(identity: TestIdentity, name: string): Promise<Callers> {
  const firm = { seed: `own/${name}`, clients: 2, claims: CLAIMS, flavour: 0 };
  const names = namesOf(firm);
  const both = [names.clients, names.second];
  const access: Readonly<Record<Who, readonly string[]>> = {
    ...{ admin: both, manager: both, none: [] },
    ...{ specialist: [names.clients], client: [names.clients], single: [names.clients] },
    ...{ namesake: [names.clients], borrower: [names.clients] },
  };
  const tokens = WHO.map(async (who) => {
    const number = STORED[who];
    const email =
      who === 'borrower' ? 'user1.1@many.example' : `user${number ?? who}.1@${firm.seed.replaceAll('/', '-')}.example`;
    const subject = number === undefined ? `idp|${firm.seed}|${who}` : `idp|${firm.seed}|1|${number}`;
    const sub = who === 'namesake' ? namesOf({ seed: 'many' }).users : subject;
    const claims = { sub, email, name: who, role: ROLES[who], client_access: access[who] };
    return [who, await identity.token(claims)] as const;
  });
  return { firm, names, tokens: Object.fromEntries(await Promise.all(tokens)) as Callers['tokens'] };
}
