import type { Role } from '../../../src/identity/caller.ts';
import { form, FORM } from '../../support/upload.ts';
import type { Operation } from './operations.ts';
import { anyOf } from './random.ts';
import { idOf, rowOf } from './rows.ts';

const STAFF: readonly Role[] = ['ADMIN', 'ACCOUNT_MANAGER', 'TAX_SPECIALIST'];

/**
 * How many lines of text a small and a large uploaded document have. One document in thirty is large, so that it
 * arrives in many network packets.
 */
const [FEW_LINES, MANY_LINES] = [20, 8_000];

/**
 * The load test sends this request to create a site, and closes the connection before the answer. Afterwards the
 * database is allowed to have the site once or not at all.
 */
export const HUNG_UP: Operation = {
  ...{ name: 'create site and hang up', kind: 'create', table: 'sites', weight: 0, roles: STAFF },
  prepare: ({ person: { tenant }, random, marker }) => ({
    line: 'POST /api/sites',
    body: { client_id: tenant.client, site_name: marker },
    ...{ marker, expects: [201], hangUpMs: random() * 20 },
  }),
};

export const CREATIONS: readonly Operation[] = [
  {
    ...{ name: 'create site', kind: 'create', table: 'sites', weight: 8, roles: STAFF, keyed: 70 },
    prepare: ({ person: { tenant }, own, marker }) => ({
      line: 'POST /api/sites',
      body: { client_id: tenant.client, site_name: marker },
      marker,
      expects: [201],
      answered: (body) => {
        own.sites.push(idOf(body));
        own.sight.acknowledged('sites', rowOf(body));
        return null;
      },
    }),
  },
  {
    ...{ name: 'create claim', kind: 'create', table: 'reclamations', weight: 6, roles: STAFF, keyed: 70 },
    prepare: ({ person: { tenant }, own, tally, marker }) => {
      tally.claims += 1;
      return {
        line: 'POST /api/reclamations',
        body: {
          ...{ client_id: tenant.client, site_id: tenant.site, claim_type: 'TF', amount: '1200.50' },
          grounds: marker,
        },
        marker,
        expects: [201],
        answered: (body) => {
          own.claims.push({ id: idOf(body), status: 'DRAFT', hasDocuments: false });
          own.sight.acknowledged('reclamations', rowOf(body));
          return null;
        },
      };
    },
  },
  {
    ...{ name: 'create partner', kind: 'create', table: 'partners', weight: 2, keyed: 100 },
    roles: ['ACCOUNT_MANAGER'],
    prepare: ({ person: { tenant }, marker }) => ({
      line: 'POST /api/partners',
      body: { name: marker, client_ids: [tenant.client] },
      marker,
      expects: [201],
    }),
  },
  {
    ...{ name: 'create client', kind: 'create', table: 'clients', weight: 1, keyed: 100 },
    roles: ['ADMIN'],
    prepare: ({ marker }) => ({
      line: 'POST /api/clients',
      body: { company_name: marker, contact_email: 'a@b.example' },
      marker,
      expects: [201],
    }),
  },
  {
    // The load test recognises an invoice by its amount, because an invoice has no text field.
    ...{ name: 'create invoice', kind: 'create', table: 'factures', weight: 3, keyed: 70 },
    roles: ['ADMIN', 'ACCOUNT_MANAGER'],
    prepare: ({ person: { tenant }, own, serial }) => ({
      line: 'POST /api/invoices',
      body: { client_id: tenant.client, amount_excl_tax: serial },
      marker: `${serial}.00`,
      expects: [201],
      answered: (body) => {
        own.drafts.push(idOf(body));
        return null;
      },
    }),
  },
  {
    ...{ name: 'upload', kind: 'create', table: 'documents', weight: 5, roles: STAFF, keyed: 70 },
    prepare: ({ own, random, marker }) => {
      const claim = anyOf(random, own.claims);
      if (claim === undefined) return undefined;
      own.claims.splice(own.claims.indexOf(claim), 1, { ...claim, hasDocuments: true });
      const lines = random() < 1 / 30 ? MANY_LINES : FEW_LINES;
      const content = `${marker}\n`.repeat(lines);
      // The bytes of this document follow from its file name, so that a check after the load test can compute them.
      const name = `${marker} x${lines}.txt`;
      return {
        line: `POST /api/reclamations/${claim.id}/documents`,
        headers: { 'content-type': FORM },
        body: form({ name, type: 'text/plain', bytes: content }),
        marker: name,
        expects: [201],
        answered: (body) => {
          own.uploads.push({ id: idOf(body), content });
          return null;
        },
      };
    },
  },
];
