import { idSql } from './ids.ts';
import { namesOf } from './firm.ts';
import type { Firm, FirmNames } from './firm.ts';

/**
 * The compared databases have the same firm of callers, and differ only in their other tenants. These are the other
 * tenants of one database.
 */
export interface Variant {
  readonly name: string;
  readonly firms: readonly Firm[];
  /** Another firm that the test creates each time it creates a firm of callers. */
  readonly beside?: (callers: Firm) => Firm;
  /** SQL that shares partners and users of the callers’ firm with another tenant. */
  readonly shares?: (names: FirmNames) => string;
}

const MANY = { seed: 'many', clients: 300, claims: 4, flavour: 3 };
const LARGE = { seed: 'large', clients: 1, claims: 3000, flavour: 5 };
const SHARING = { seed: 'sharing', clients: 20, claims: 4, flavour: 2 };
const NEIGHBOUR = { seed: 'neighbour', clients: 1, claims: 6, flavour: 1 };

const twinOf = (callers: Firm): Firm => ({ ...callers, seed: callers.seed.replace('own', 'twin') });

/**
 * SQL that shares records of the callers’ firm with other tenants: one of its partners also works for them, and one of
 * its users has their clients too.
 */
function sharing({ shared, guest }: FirmNames): string {
  const client = idSql(SHARING.seed, 'clients', 'c');
  return `begin;
set local session_replication_role = replica;
insert into public.client_partners (client_id, partner_id, created_at)
select ${client}, '${shared}', timestamptz '2024-04-01 00:00:00Z'
from generate_series(1, ${SHARING.clients}) as c;
insert into public.partner_invoices (id, partner_id, client_id, number, amount_excl_tax, vat_amount, amount_incl_tax)
select ${idSql(`sharing/${shared}`, 'bills', 'c')}, '${shared}', ${client}, 'F 1', 10, 2, 12
from generate_series(1, ${SHARING.clients}) as c;
insert into public.audit_logs (action, resource_type, resource_id, success, actor, created_at, changed)
select 'PUT', 'users', '${guest}', true, 'somebody else', timestamptz '2024-04-01 00:00:00Z',
    jsonb_build_object('client_access', jsonb_build_array('[]'::jsonb, jsonb_agg(${client})))
from generate_series(1, ${SHARING.clients}) as c;
update public.users as u
set client_access = u.client_access || array(select ${client} from generate_series(1, ${SHARING.clients}) as c)
where u.id = '${guest}';
commit`;
}

const alone: Variant = { name: 'no other tenant', firms: [] };
const many: Variant = { name: 'many small tenants', firms: [MANY] };
const large: Variant = { name: 'a large tenant', firms: [LARGE] };
const twin: Variant = { name: 'a tenant with the same texts', firms: [], beside: twinOf };
const shared: Variant = { name: 'tenants that share partners and users', firms: [SHARING], shares: sharing };
const crowd: Variant = {
  name: 'all these other tenants together',
  firms: [MANY, LARGE, SHARING],
  beside: twinOf,
  shares: sharing,
};
const neighbour: Variant = { name: 'a neighbour firm', firms: [NEIGHBOUR] };
const changed: Variant = {
  name: 'the same neighbour firm with other records, and many small tenants',
  firms: [{ ...NEIGHBOUR, claims: 40, flavour: 4, people: NEIGHBOUR.flavour }, MANY],
};

/**
 * The databases that get the same requests and SQL. Each database’s answer is compared with the first database’s
 * answer.
 */
export interface Round {
  readonly variants: readonly [Variant, ...Variant[]];
  /**
   * The ids of another tenant’s records, which callers use in their requests. Either all compared databases have these
   * records, or none has them.
   */
  readonly foreign: FirmNames;
}

export const ROUNDS: readonly Round[] = [
  { variants: [alone, many, large, twin, shared, crowd], foreign: namesOf({ seed: 'nobody' }) },
  { variants: [neighbour, changed], foreign: namesOf(NEIGHBOUR) },
];

/**
 * interference.test.ts compares these two databases: one without other tenants, and one with some. `npm run proofs --
 * interference` compares larger databases.
 */
const few: Variant = {
  ...crowd,
  firms: [{ ...MANY, clients: 60 }, { ...LARGE, claims: 600 }, SHARING],
};
export const SMALL: Round = { variants: [alone, few], foreign: namesOf({ seed: 'nobody' }) };
