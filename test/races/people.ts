import { randomUUID } from 'node:crypto';
import type { Role } from '../../src/identity/caller.ts';
import { furnitureSql, newTenant, tenantSql } from '../support/tenant.ts';
import type { Tenant } from '../support/tenant.ts';

/**
 * Names for further records of a tenant: two more clients, another site, an invoice, a bill, and users. `users` is a
 * tax specialist of the first two clients. `chief` and `deputy` are ADMINs of all clients, and `north` and `south` are
 * ADMINs of two clients. The database does not store the user `stranger`.
 */
const MORE = [
  'second',
  'third',
  'annex',
  'draft',
  'bill',
  'chief',
  'deputy',
  'north',
  'south',
  'manager',
  'stranger',
] as const;

export type RaceTenant = Tenant & Readonly<Record<(typeof MORE)[number], string>>;

/** The version (updated_at) that every claim has before the simultaneous requests, and the ETag of this version. */
export const FIRST_VERSION = '2026-01-01T00:00:00Z';
export const FIRST_TAG = `"${Date.parse(FIRST_VERSION) * 1000}"`;

export function newRaceTenant(): RaceTenant {
  const more = Object.fromEntries(MORE.map((kind) => [kind, randomUUID()]));
  return { ...newTenant(), ...more } as RaceTenant;
}

export const PEOPLE_OF_RACES = [
  ...(['chief', 'deputy', 'north', 'south', 'manager', 'users', 'newcomer', 'stranger'] as const),
];

export type Person = (typeof PEOPLE_OF_RACES)[number];

export interface Claims {
  readonly sub: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly client_access: readonly string[];
  readonly iat: number;
}

/**
 * The tokens of the simultaneous requests are this number of seconds old. They are newer than the rights that the
 * database has at the beginning.
 */
const AGE_S = 600;
const STORED_AGE = '1 hour';

const PEOPLE: Readonly<Record<Person, { readonly role: Role; readonly clients: readonly (keyof RaceTenant)[] }>> = {
  chief: { role: 'ADMIN', clients: [] },
  deputy: { role: 'ADMIN', clients: [] },
  north: { role: 'ADMIN', clients: ['clients', 'second'] },
  south: { role: 'ADMIN', clients: ['clients', 'third'] },
  manager: { role: 'ACCOUNT_MANAGER', clients: ['clients'] },
  users: { role: 'TAX_SPECIALIST', clients: ['clients', 'second'] },
  newcomer: { role: 'CLIENT', clients: [] },
  stranger: { role: 'CLIENT', clients: ['clients'] },
};

/** The password of each user in these tests. Its hash has bcrypt’s lowest cost, so that a login is fast. */
export const PASSWORD = 'the present password';
const HASH = '$2b$04$abcdefghijklmnopqrstuuvrJlxH64ME9z5TblLpE4iP2re04ZQ5S';

/** Returns the JWT claims of a token that has the user’s rights in the database. */
export function claimsOf(person: Person, tenant: RaceTenant): Claims {
  const { role, clients } = PEOPLE[person];
  return {
    sub: `idp|${tenant[person]}`,
    email: `${tenant[person]}@b.example`,
    name: person,
    role,
    client_access: clients.map((kind) => tenant[kind]),
    iat: Math.floor(Date.now() / 1000) - AGE_S,
  };
}

/**
 * Returns SQL that creates a tenant with its records. The tenant’s ADMINs of all clients are inactive until its
 * requests run. To halve the time, the SQL switches triggers off by the role `replica`, and itself writes what the
 * triggers would write.
 */
export function raceTenantSql(tenant: RaceTenant): string {
  const id = (kind: keyof RaceTenant): string => `'${tenant[kind]}'`;
  const known: readonly Person[] = ['chief', 'deputy', 'north', 'south', 'manager', 'users'];
  const stored = known.map((person) => {
    const { sub, email, role, client_access: list } = claimsOf(person, tenant);
    const isActive = person !== 'chief' && person !== 'deputy';
    return `(${id(person)}, '${email}', '${HASH}', '${person}', '${role}', '{${list.join()}}', ${String(isActive)}, '${sub}', now() - interval '${STORED_AGE}')`;
  });
  return `begin;
    set local session_replication_role = replica;${tenantSql(tenant, 'Boulangerie Martin')}${furnitureSql(tenant)}
    insert into public.clients (id, company_name, contact_email) values (${id('second')}, 'Garage Dupont', 'a@b.example'), (${id('third')}, 'Hôtel du Nord', 'a@b.example');
    insert into public.sites (id, client_id, site_name) values (${id('annex')}, ${id('clients')}, 'Annexe');
    insert into public.factures (id, client_id, reclamation_id, amount_excl_tax) values (${id('draft')}, ${id('clients')}, ${id('reclamations')}, 10);
    insert into public.partner_invoices (id, partner_id, client_id, invoice_id, number, amount_excl_tax) values (${id('bill')}, ${id('biller')}, ${id('clients')}, ${id('factures')}, 'F-2', 10);
    insert into app.client_documents (id, client_id, reclamation_id, filename, file_size, mime_type, uploaded_at, kind, updated_at)
        select id, ${id('clients')}, reclamation_id, filename, file_size, mime_type, uploaded_at, kind, updated_at from public.documents where id = ${id('documents')};
    update public.notes set author_id = ${id('manager')} where id = ${id('notes')};
    update public.reclamations set updated_at = '${FIRST_VERSION}' where id = ${id('reclamations')};
    update public.users set access_changed_at = now() - interval '${STORED_AGE}' where id = ${id('newcomer')};
    delete from public.users where id = ${id('users')};
    insert into public.users (id, email, password_hash, name, role, client_access, is_active, subject, access_changed_at) values ${stored.join()};
    update public.users set calendar_digest = encode(sha256(convert_to(id::text, 'UTF8')), 'hex') where id = ${id('users')};
    commit;`;
}
