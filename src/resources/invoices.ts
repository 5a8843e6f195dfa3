import * as field from '../http/fields.ts';
import { MANAGERS, ROLES } from '../identity/caller.ts';
import * as column from '../records/column.ts';
import { endpointsOf } from '../records/endpoints.ts';
import { amountBetween, between, by, byAny, containedIn } from '../records/filters.ts';
import { list as listOf } from '../records/list.ts';
import { record } from '../records/record.ts';
import { client } from './clients.ts';
import { reclamation } from './reclamation-record.ts';

/** DRAFT → ISSUED → PAID or CANCELLED; the moves stand in the table invoice_transitions. */
export const status = field.oneOf('InvoiceStatus', ['DRAFT', 'ISSUED', 'PAID', 'CANCELLED']);

const MOST = '4999999999.99';
const MOST_INCL_TAX = '9999999999.98';

export const invoice = record(
  'Invoice',
  'factures',
  {
    id: column.id,
    client_id: column.naming('client', client.label, column.fixed),
    reclamation_id: column.naming('reclamation', reclamation.label, column.optional(column.uuid, field.uuid)),
    number: column.said(
      column.nullable(column.text(50)),
      'Given when the invoice is issued, without a gap within a year.',
    ),
    status: column.state(status),
    issue_date: column.optional(column.date, field.date),
    due_date: column.optional(column.date, field.date),
    amount_excl_tax: column.written(column.decimal, field.decimal(MOST)),
    vat_rate: column.defaulted(column.decimal, field.decimal('100.00'), '20'),
    vat_amount: column.read(column.decimal),
    amount_incl_tax: column.read(column.decimal),
    paid_at: column.later(column.nullable(column.time), field.timestampInput.nullable()),
    ...column.dates,
  },
  {
    examples: {
      record: {
        id: 'f1000000-0000-4000-8000-000000000003',
        client_id: 'c1000000-0000-4000-8000-000000000002',
        status: 'DRAFT',
        amount_excl_tax: 1500,
        vat_rate: 20,
        vat_amount: 300,
        amount_incl_tax: 1800,
      },
      creation: {
        client_id: client.exampleId,
        reclamation_id: reclamation.exampleId,
        amount_excl_tax: 1250,
      },
      change: { amount_excl_tax: 1600 },
    },
    label: ['number'],
  },
);

const invoices = listOf({
  of: invoice,
  client: 'r.client_id',
  sorts: ['created_at', 'updated_at', 'status', 'amount_excl_tax', 'amount_incl_tax'],
  sortsWithNulls: ['issue_date', 'due_date', 'paid_at'],
  filters: {
    client_id: byAny(field.uuid, 'r.client_id = $'),
    reclamation_id: byAny(field.uuid, 'r.reclamation_id = $'),
    status: byAny(status, 'r.status = $'),
    number: by(field.text(50), 'r.number = $'),
    ...between('issue', field.date, 'r.issue_date', 'whose issue_date is this day'),
    ...between('due', field.date, 'r.due_date', 'whose due_date is this day'),
    ...between('paid', field.moment, 'r.paid_at', 'whose paid_at is this time'),
    ...amountBetween('amount_excl_tax', MOST),
    ...amountBetween('amount_incl_tax', MOST_INCL_TAX),
    q: containedIn('r.number'),
  },
  selective: ['reclamation_id', 'number'],
});

const { list, read, create, change, remove } = endpointsOf(invoice, {
  tag: 'Invoices',
  path: '/api/invoices',
  constraints: {
    factures_reclamation_of_client: { reclamation_id: 'must be a record of the same client' },
    factures_number_key: { status: 'cannot be ISSUED now: the next number of the year is taken' },
    factures_due_after_issue: { due_date: 'must not lie before issue_date' },
    factures_paid_when_paid: { paid_at: 'must be given for a paid invoice alone' },
    factures_dated_when_issued: { issue_date: 'must be given once the invoice is issued' },
  },
});

export const invoiceEndpoints = [
  list(invoices, { summary: 'List the invoices of the caller’s clients', roles: ROLES }),
  create({
    summary: 'Create an invoice, as DRAFT, for a client and perhaps one of its claims',
    roles: MANAGERS,
  }),
  read({ summary: 'Read an invoice', roles: ROLES }),
  change({
    summary: 'Change the given fields of a draft, or issue, settle or cancel an invoice',
    roles: MANAGERS,
  }),
  remove({ summary: 'Delete a draft; a conflict once the invoice was issued', roles: ['ADMIN'] }),
];
