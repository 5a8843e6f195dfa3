import * as field from '../http/fields.ts';
import { MANAGER_ROLES } from '../identity/caller.ts';
import { rule } from '../problems.ts';
import * as column from '../records/column.ts';
import { endpointsOf } from '../records/endpoints.ts';
import { filterByCondition, filterByAny, filterByText } from '../records/filters.ts';
import { list as listOf } from '../records/list.ts';
import { record } from '../records/record.ts';
import { client } from './clients.ts';
import { invoice } from './invoices.ts';
import { partner } from './partners.ts';

/** RECEIVED → VALIDATED → PAID, or DISPUTED on the way; invoice_transitions lists the allowed status moves. */
export const partnerInvoiceStatus = field.enumOf('PartnerInvoiceStatus');

const MAX_AMOUNT_EXCL_TAX = '4999999999.99';
const MAX_AMOUNT_INCL_TAX = '9999999999.98';

/** The bill of a partner, with the amounts that are printed on it; the database computes missing amounts. */
export const partnerInvoice = record(
  'PartnerInvoice',
  'partner_invoices',
  {
    id: column.id,
    partner_id: column.reference('partner', partner.label, column.fixedParentId),
    client_id: column.reference('client', client.label, column.fixedParentId),
    invoice_id: column.reference('invoice', invoice.label, column.optional(column.uuid, field.uuid)),
    number: column.writable(column.text(50), field.nonBlankText(50)),
    status: column.statusColumn(partnerInvoiceStatus),
    issue_date: column.optional(column.date, field.date),
    due_date: column.optional(column.date, field.date),
    amount_excl_tax: column.writable(column.decimal, field.decimal(MAX_AMOUNT_EXCL_TAX)),
    vat_rate: column.withDefault(column.percent, field.percent, '20'),
    vat_amount: column.writable(column.decimal, field.decimal(MAX_AMOUNT_EXCL_TAX).nullable().optional()),
    amount_incl_tax: column.writable(column.decimal, field.decimal(MAX_AMOUNT_INCL_TAX).nullable().optional()),
    paid_at: column.writableOnChange(column.nullable(column.time), field.timestampInput.nullable()),
    ...column.timestampColumns,
  },
  {
    examples: {
      record: {
        id: 'b2000000-0000-4000-8000-000000000002',
        partner_id: 'b1000000-0000-4000-8000-000000000002',
        client_id: 'c1000000-0000-4000-8000-000000000002',
        number: 'RIV-88',
        status: 'RECEIVED',
        issue_date: '2025-06-30',
        due_date: '2025-07-30',
        amount_excl_tax: 410,
        vat_rate: 20,
        vat_amount: 82,
        amount_incl_tax: 492,
      },
      creation: {
        partner_id: partner.exampleId,
        client_id: client.exampleId,
        number: 'ACR-2026-031',
        amount_excl_tax: 480,
      },
      change: { due_date: '2025-08-31' },
    },
    moves: { table: 'invoice_transitions' },
  },
);

export const partnerInvoices = listOf({
  of: partnerInvoice,
  client: 'r.client_id',
  newest: 'created_at',
  filters: {
    client_id: filterByAny(field.uuid, 'r.client_id = $'),
    number: filterByCondition(field.text(50), 'r.number = $'),
    q: filterByText('r.number'),
  },
  selective: ['partner_id', 'invoice_id'],
});

const { list, read, moves, changes, create, change, changeMany, remove } = endpointsOf(partnerInvoice, {
  tag: 'Partner invoices',
  path: '/api/partner-invoices',
  constraints: {
    partner_invoices_invoice_of_client: { invoice_id: rule('of_another_client') },
    partner_invoices_due_after_issue: { due_date: rule('before_issue_date') },
    partner_invoices_sum: { amount_incl_tax: rule('wrong_sum') },
    partner_invoices_client_id_partner_id_number_key: { number: rule('taken.number') },
  },
  changeConstraints: { partner_invoices_paid_at_when_paid: { paid_at: rule('not_paid') } },
});

/** Tax specialists and clients never see a partner's bill, because the bill shows the firm's margin. */
export const partnerInvoiceEndpoints = [
  list(partnerInvoices, { summary: 'List the bills of partners for the caller’s clients', roles: MANAGER_ROLES }),
  create({
    summary: 'Create a partner’s bill with status RECEIVED; the partner must be linked to the client',
    roles: MANAGER_ROLES,
    existing: ({ body }) => ({
      partner_invoices_client_id_partner_id_number_key: {
        text: `
select r.id
from public.partner_invoices as r
where r.client_id = $1 and r.partner_id = $2 and r.number = $3`,
        values: [body.client_id, body.partner_id, body.number],
      },
    }),
  }),
  changeMany({
    summary: 'Update many bills of partners at once, including status moves; all or none',
    roles: MANAGER_ROLES,
  }),
  read({ summary: 'Get a partner’s bill', roles: MANAGER_ROLES }),
  moves('a partner’s bill', MANAGER_ROLES),
  changes(MANAGER_ROLES),
  change({
    summary: 'Update the given fields of a RECEIVED bill of a partner, or move a bill to another status',
    roles: MANAGER_ROLES,
  }),
  remove({ summary: 'Delete a partner’s bill; 409 if it is no longer RECEIVED', roles: ['ADMIN'] }),
];
