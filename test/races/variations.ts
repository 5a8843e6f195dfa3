import { operation } from './operation.ts';
import type { Operation } from './operation.ts';
import { FIRST_TAG, FIRST_VERSION } from './people.ts';
import type { RaceTenant } from './people.ts';

/*
 * Extra requests for the test of simultaneous requests. test/resources/access.ts has one request for each of these
 * endpoints; these requests cause other conflicts.
 */

const CLAIM = 'PUT /api/reclamations/{id}';
const INVOICE = 'PUT /api/invoices/{id}';
const PARTNER = 'PUT /api/partners/{id}';
const CLAIMS = 'POST /api/reclamations/changes';
const INVOICES = 'POST /api/invoices/changes';

const claim = { id: 'reclamations' } as const;
const invoice = { id: 'factures' } as const;

/** Returns a request body that makes the same change to several records, in the given order. */
const each =
  (kinds: readonly (keyof RaceTenant)[], change: object) =>
  (tenant: RaceTenant): object => ({ changes: kinds.map((kind) => ({ id: tenant[kind], ...change })) });

export const VARIATIONS: readonly Operation[] = [
  operation(CLAIM, 'users', 'moved on', { ids: claim, body: () => ({ status: 'READY_FOR_REVIEW' }) }),
  operation(CLAIM, 'manager', 'withdrawn', { ids: claim, body: () => ({ status: 'WITHDRAWN' }) }),
  operation(CLAIM, 'manager', 'put on another site', {
    ids: claim,
    body: ({ annex }) => ({ site_id: annex }),
  }),
  operation(CLAIM, 'manager', 'assigned', { ids: claim, body: ({ users }) => ({ assignee_id: users }) }),
  operation(CLAIM, 'chief', 'in its first version', {
    ids: claim,
    body: () => ({ grounds: 'Erreur de valeur' }),
    headers: { 'if-match': FIRST_TAG },
    isTagged: true,
  }),

  operation(CLAIMS, 'users', 'moved on', { body: each(['reclamations'], { status: 'READY_FOR_REVIEW' }) }),
  operation(CLAIMS, 'chief', 'in its first version', {
    body: each(['reclamations'], { version: FIRST_VERSION, grounds: 'Erreur de valeur' }),
    isTagged: true,
  }),

  operation('PUT /api/notes/{id}', 'manager', 'assigned to a specialist', {
    ids: { id: 'notes' },
    body: ({ users }) => ({ assignee_id: users }),
  }),

  operation(INVOICES, 'manager', 'two issued', {
    body: each(['factures', 'draft'], { status: 'ISSUED' }),
  }),
  operation(INVOICES, 'chief', 'of the same two records in the other order', {
    body: each(['draft', 'factures'], { due_date: '2031-01-31' }),
  }),
  operation(INVOICE, 'manager', 'issued', { ids: invoice, body: () => ({ status: 'ISSUED' }) }),
  operation(INVOICE, 'chief', 'another issued', { ids: { id: 'draft' }, body: () => ({ status: 'ISSUED' }) }),
  operation(INVOICE, 'manager', 'put on a claim', {
    ids: invoice,
    body: ({ reclamations }) => ({ reclamation_id: reclamations }),
  }),
  operation('PUT /api/partner-invoices/{id}', 'manager', 'put on an invoice', {
    ids: { id: 'partner_invoices' },
    body: ({ factures }) => ({ invoice_id: factures }),
  }),

  operation(PARTNER, 'chief', 'linked to another client instead', {
    ids: { id: 'partners' },
    body: ({ second }) => ({ client_ids: [second] }),
  }),
  operation(PARTNER, 'manager', 'linked to its own client only', {
    ids: { id: 'partners' },
    body: ({ clients }) => ({ client_ids: [clients] }),
  }),
];
