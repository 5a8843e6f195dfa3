import * as field from '../http/fields.ts';
import * as column from '../records/column.ts';
import { record } from '../records/record.ts';
import { assignee } from './assignees.ts';
import { client } from './clients.ts';
import * as examples from './examples.ts';
import { site } from './sites.ts';

/** In the order of a claim's life, by which lists sort; the table reclamation_transitions has the allowed moves. */
export const reclamationStatus = field.oneOf('ReclamationStatus', [
  'DRAFT',
  'READY_FOR_REVIEW',
  'APPROVED',
  'SUBMITTED',
  'REGULARISATION_REQUESTED',
  'ACKNOWLEDGED',
  'REJECTED',
  'PARTIALLY_ACCEPTED',
  'LITIGATION',
  'ACCEPTED',
  'REFUNDED',
  'WITHDRAWN',
  'CLOSED',
]);

export const claimType = field.oneOf('ClaimType', ['TF', 'CFE']);

export const MOST = '99999999.99';

const assigneeId = column.described(column.uuid, {
  description:
    'Who works on it: whoever is assigned is an active user who has the client. Whoever loses the client loses the claim; whoever becomes inactive keeps it until somebody else is assigned.',
});

export const reclamation = record(
  'Reclamation',
  'reclamations',
  {
    id: column.id,
    client_id: column.naming('client', client.label, column.fixed),
    site_id: column.naming('site', site.label, column.written(column.uuid, field.uuid)),
    claim_type: column.written(column.words(claimType), claimType),
    amount: column.written(column.decimal, field.decimal(MOST)),
    status: column.state(reclamationStatus),
    tax_year: column.optional(column.integer, field.integer(1900, 2200)),
    commune_code: column.optional(column.text(5), field.communeCode),
    notice_reference: column.optional(column.text(100), field.text(100)),
    collection_date: column.optional(column.date, field.date),
    claim_deadline: column.read(column.nullable(column.date)),
    submitted_at: column.optional(column.time, field.timestampInput),
    response_due_at: column.read(column.nullable(column.time)),
    decision_date: column.optional(column.date, field.date),
    court_deadline: column.optional(column.date, field.date),
    granted_amount: column.optional(column.decimal, field.decimal(MOST)),
    refund_amount: column.optional(column.decimal, field.decimal(MOST)),
    grounds: column.optional(column.text(), field.prose),
    assignee_id: column.naming('assignee', assignee.label, column.optional(assigneeId, field.uuid)),
    created_at: column.read(column.time),
    updated_at: column.read(column.time),
  },
  {
    examples: examples.reclamation,
    label: ['claim_type', 'tax_year', 'notice_reference'],
    hasDocuments: true,
  },
);
