import { MANAGER_ROLES, ROLES } from '../identity/caller.ts';
import { defineSumColumn, defineSummaryEndpoint, TODAY_SQL } from '../records/summary.ts';
import { invoice, invoices, creditedSql } from './invoices.ts';
import { partnerInvoice, partnerInvoices } from './partner-invoices.ts';
import { reclamation, reclamations } from './reclamation-record.ts';

/** A credit note takes its amounts back; `sign` is the SQL factor of a row, and `credited` what was taken back of it. */
const paymentSums = (due: string, sign = '', credited = '') => ({
  amount_excl_tax: defineSumColumn(
    `${sign}r.amount_excl_tax`,
    `Sum without VAT, in euros${sign && ', less credit notes'}.`,
  ),
  amount_incl_tax: defineSumColumn(
    `${sign}r.amount_incl_tax`,
    `Sum including VAT, in euros${sign && ', less credit notes'}.`,
  ),
  due: defineSumColumn(
    `case when ${due} then r.amount_incl_tax${credited} end`,
    'Unpaid part of amount_incl_tax, overdue or not.',
  ),
  late: defineSumColumn(
    `case when ${due} and r.due_date < ${TODAY_SQL} then r.amount_incl_tax${credited} end`,
    'Overdue part of due: due date before today, in Europe/Paris.',
  ),
  paid: defineSumColumn(
    `case when r.paid_at is not null or r.status = 'PAID' then ${sign}r.amount_incl_tax end`,
    'Paid part of amount_incl_tax.',
  ),
});

const SIGN_SQL = 'case when r.credits_id is null then 1 else -1 end * ';

export const summaryEndpoints = [
  defineSummaryEndpoint({
    of: reclamation,
    list: reclamations,
    tag: 'Reclamations',
    path: '/api/reclamations',
    roles: ROLES,
    references: { site_id: 'sites' },
    what: 'the claims of the caller’s clients, with their amounts',
    by: {
      status: 'status',
      type: 'claim_type',
      year: 'tax_year',
      client: 'client_id',
      site: 'site_id',
      assignee: 'assignee_id',
    },
    spans: { submitted: 'submitted_at', decision: 'decision_date', deadline: 'claim_deadline' },
    sums: {
      amount: defineSumColumn('r.amount', 'Sum of the claimed amounts, in euros.'),
      granted_amount: defineSumColumn('r.granted_amount', 'Sum of the granted amounts (dégrèvement), in euros.'),
      refund_amount: defineSumColumn('r.refund_amount', 'Sum of the refunds, in euros.'),
    },
  }),
  defineSummaryEndpoint({
    of: invoice,
    list: invoices,
    tag: 'Invoices',
    path: '/api/invoices',
    roles: ROLES,
    references: { reclamation_id: 'reclamations' },
    what: 'the invoices of the caller’s clients, with the due, overdue and paid amounts',
    by: { status: 'status', kind: 'kind', client: 'client_id' },
    spans: { issue: 'issue_date', due: 'due_date', paid: 'paid_at' },
    sums: paymentSums(`r.status = 'ISSUED' and r.credits_id is null`, SIGN_SQL, creditedSql('r')),
  }),
  defineSummaryEndpoint({
    of: partnerInvoice,
    list: partnerInvoices,
    tag: 'Partner invoices',
    roles: MANAGER_ROLES,
    path: '/api/partner-invoices',
    references: { partner_id: 'partners', invoice_id: 'factures' },
    what: 'the bills of partners, with the due, overdue and paid amounts',
    by: { status: 'status', client: 'client_id', partner: 'partner_id' },
    spans: { issue: 'issue_date', due: 'due_date' },
    // A disputed bill is not owed until it is validated.
    sums: paymentSums(`r.status in ('RECEIVED', 'VALIDATED')`),
  }),
];
