import * as field from '../http/fields.ts';
import { MANAGER_ROLES, ROLES, SPECIALIST_ROLES } from '../identity/caller.ts';
import { rule } from '../problems.ts';
import * as column from '../records/column.ts';
import { endpointsOf } from '../records/endpoints.ts';
import { filterByCondition, filterByAny, filterByText, filterByPartner } from '../records/filters.ts';
import { list as listOf } from '../records/list.ts';
import { record } from '../records/record.ts';
import { TODAY_SQL } from '../records/summary.ts';
import { client } from './clients.ts';
import { reclamation } from './reclamation-record.ts';

/** DRAFT → ISSUED → PAID; only the issue of a credit note of the whole amount makes an invoice CANCELLED. */
export const invoiceStatus = field.enumOf('InvoiceStatus');

export const invoiceKind = field.enumOf('InvoiceKind');

const MAX_AMOUNT = '4999999999.99';

/** SQL that subtracts what issued credit notes took back from the invoice `row`. */
export const creditedSql = (row: string): string => ` - coalesce((
    select sum(c.amount_incl_tax)
    from public.factures as c
    where c.credits_id = ${row}.id and c.status <> 'DRAFT'
), 0)`;

export const invoice = record(
  'Invoice',
  'factures',
  {
    id: column.id,
    client_id: column.reference('client', client.label, column.fixedParentId),
    reclamation_id: column.reference('reclamation', reclamation.label, column.optional(column.uuid, field.uuid)),
    kind: column.withDefault(column.enumText(invoiceKind), invoiceKind, `'INVOICE'`),
    credits_id: column.optional(column.uuid, field.uuid),
    number: column.derived(column.nullable(column.text(50))),
    status: column.statusColumn(invoiceStatus),
    issue_date: column.optional(column.date, field.date),
    due_date: column.optional(column.date, field.date),
    service_date: column.optional(column.date, field.date),
    description: column.optional(column.text(), field.longText),
    amount_excl_tax: column.writable(column.decimal, field.decimal(MAX_AMOUNT)),
    vat_rate: column.withDefault(column.percent, field.percent, '20'),
    vat_exemption_reason: column.optional(column.text(), field.longText),
    vat_amount: column.derived(column.decimal),
    amount_incl_tax: column.derived(column.decimal),
    buyer_name: column.derived(column.nullable(column.text(255))),
    buyer_address: column.derived(column.nullable(column.text())),
    buyer_siren: column.derived(column.nullable(column.text(9))),
    paid_at: column.writableOnChange(column.nullable(column.time), field.timestampInput.nullable()),
    ...column.timestampColumns,
  },
  {
    examples: {
      record: {
        id: 'f1000000-0000-4000-8000-000000000003',
        client_id: 'c1000000-0000-4000-8000-000000000002',
        kind: 'INVOICE',
        status: 'DRAFT',
        amount_excl_tax: 1500,
        vat_rate: 20,
        vat_amount: 300,
        amount_incl_tax: 1800,
      },
      creation: { client_id: client.exampleId, reclamation_id: reclamation.exampleId, amount_excl_tax: 1250 },
      change: { amount_excl_tax: 1600 },
    },
    label: ['number'],
    lockedByMove: 'credits_id',
    moves: {
      table: 'invoice_transitions',
      // An invoice that is issued today must not be due before today; one without VAT says why.
      require: `case
        when m.to_status = 'ISSUED' and r.issue_date is null and r.due_date < ${TODAY_SQL}
            then '{due_date}'
        when m.to_status = 'ISSUED' and r.vat_rate = 0 and r.vat_exemption_reason is null then '{vat_exemption_reason}'
        else '{}'
    end::text[]`,
    },
  },
);

export const invoices = listOf({
  of: invoice,
  client: 'r.client_id',
  newest: 'created_at',
  filters: {
    client_id: filterByAny(field.uuid, 'r.client_id = $'),
    partner_id: filterByPartner('r.client_id'),
    number: filterByCondition(field.text(50), 'r.number = $'),
    q: filterByText('r.number'),
  },
  selective: ['reclamation_id', 'credits_id', 'number'],
});

const { list, read, moves, changes, create, change, changeMany, remove } = endpointsOf(invoice, {
  tag: 'Invoices',
  path: '/api/invoices',
  constraints: {
    factures_reclamation_of_client: { reclamation_id: rule('of_another_client') },
    factures_due_after_issue: { due_date: rule('before_issue_date') },
    factures_credits_of_client: { credits_id: rule('of_another_client') },
    factures_credits_when_credit_note: { credits_id: rule('not_of_kind') },
  },
  changeConstraints: {
    factures_number_key: { status: rule('taken.next_number') },
    factures_paid_at_when_paid: { paid_at: rule('not_paid') },
    factures_dated_when_issued: { issue_date: rule('required.issued') },
  },
});

export const invoiceEndpoints = [
  list(invoices, { summary: 'List the invoices of the caller’s clients', roles: ROLES }),
  create({
    summary: 'Create an invoice or a credit note with status DRAFT',
    roles: MANAGER_ROLES,
  }),
  changeMany({ summary: 'Update many invoices at once, including status moves; all or none', roles: MANAGER_ROLES }),
  read({ summary: 'Get an invoice', roles: ROLES }),
  moves('an invoice', ROLES),
  changes(SPECIALIST_ROLES),
  change({
    summary: 'Update the given fields of a draft, or issue or settle an invoice or a credit note',
    roles: MANAGER_ROLES,
  }),
  remove({ summary: 'Delete a draft; 409 if the invoice was issued', roles: ['ADMIN'] }),
];
