import { idSql } from './ids.ts';
import { namesOf } from './firm.ts';
import type { Firm, FirmNames } from './firm.ts';

/** What a world has beside the callers: the only thing in which worlds differ. */
export interface Variant {
  readonly name: string;
  readonly firms: readonly Firm[];
  /** A firm that comes with each firm of the callers. */
  readonly beside?: (callers: Firm) => Firm;
  /** SQL that ties what the callers share to somebody else. */
  readonly shares?: (names: FirmNames) => string;
}

const MANY = { seed: 'many', clients: 300, claims: 4, flavour: 3 };
const LARGE = { seed: 'large', clients: 1, claims: 3000, flavour: 5 };
const SHARING = { seed: 'sharing', clients: 20, claims: 4, flavour: 2 };
const NEIGHBOUR = { seed: 'neighbour', clients: 1, claims: 6, flavour: 1 };

const twinOf = (callers: Firm): Firm => ({ ...callers, seed: callers.seed.replace('own', 'twin') });

/** A partner of the callers' works for others and bills them, and one of their specialists has others' clients as well. */
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

const alone: Variant = { name: 'nobody else', firms: [] };
const many: Variant = { name: 'many small ones', firms: [MANY] };
const large: Variant = { name: 'a large one', firms: [LARGE] };
const twin: Variant = { name: 'one with the same texts', firms: [], beside: twinOf };
const shared: Variant = { name: 'some who share partners and users', firms: [SHARING], shares: sharing };
const crowd: Variant = {
  name: 'all of these',
  firms: [MANY, LARGE, SHARING],
  beside: twinOf,
  shares: sharing,
};
const neighbour: Variant = { name: 'a neighbour', firms: [NEIGHBOUR] };
const changed: Variant = {
  name: 'the same neighbour with other records, among many',
  firms: [{ ...NEIGHBOUR, claims: 40, flavour: 4, people: NEIGHBOUR.flavour }, MANY],
};

/** Worlds that are asked the same, the first of which the others are held against. */
export interface Round {
  readonly variants: readonly [Variant, ...Variant[]];
  /** Whom the callers name as somebody else: who is in none of the worlds, or in every one. */
  readonly foreign: FirmNames;
}

export const ROUNDS: readonly Round[] = [
  { variants: [alone, many, large, twin, shared, crowd], foreign: namesOf({ seed: 'nobody' }) },
  { variants: [neighbour, changed], foreign: namesOf(NEIGHBOUR) },
];

/** As much as there is time for in every run of the tests. */
const few: Variant = {
  ...crowd,
  firms: [{ ...MANY, clients: 60 }, { ...LARGE, claims: 600 }, SHARING],
};
export const SMALL: Round = { variants: [alone, few], foreign: namesOf({ seed: 'nobody' }) };
