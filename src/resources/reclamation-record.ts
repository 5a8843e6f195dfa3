import { z } from 'zod';
import { rule } from '../problems.ts';
import * as field from '../http/fields.ts';
import * as column from '../records/column.ts';
import { filterByAny, filterByCommune, filterByPartner, filterBySearchTextWords } from '../records/filters.ts';
import { list } from '../records/list.ts';
import { record } from '../records/record.ts';
import { defineAssignee } from './assignees.ts';
import { client } from './clients.ts';
import { site } from './sites.ts';

/** The table reclamation_transitions lists the allowed status moves of a claim. */
export const reclamationStatus = field.enumOf('ReclamationStatus');

const claimType = field.enumOf('ClaimType');

const deadlineBasis = field.enumOf('DeadlineBasis');

const courtInstance = field.enumOf('CourtInstance');

const claimAssignee = defineAssignee('Return only claims assigned to this user; `none` for unassigned claims.');

const MAX_AMOUNT = '99999999.99';

export const reclamation = record(
  'Reclamation',
  'reclamations',
  {
    id: column.id,
    client_id: column.reference('client', client.label, column.fixedParentId),
    site_id: column.reference('site', site.label, column.writable(column.uuid, field.uuid)),
    claim_type: column.writable(column.enumText(claimType), claimType),
    amount: column.writable(column.decimal, field.decimal(MAX_AMOUNT)),
    status: column.statusColumn(reclamationStatus),
    tax_year: column.optional(column.integer, field.integer(1900, 2200)),
    commune_code: column.optional(column.text(5), field.communeCode),
    notice_reference: column.optional(column.text(100), field.text(100)),
    collection_date: column.optional(column.date, field.date),
    deadline_basis: column.optional(column.enumText(deadlineBasis), deadlineBasis),
    claim_deadline: column.optional(column.date, field.date),
    submitted_at: column.optional(column.time, field.timestampInput),
    submitted_amount: column.derived(column.nullable(column.decimal)),
    received_on: column.optional(column.date, field.date),
    response_extended: column.withDefault(column.boolean, z.boolean(rule('not_true_or_false')), 'false'),
    response_due_at: column.optional(column.time, field.timestampInput),
    response_is_estimate: column.derived(
      {
        ...column.boolean,
        description:
          'True while received_on is unknown: response_due_at is then counted from submitted_at, and is an estimate.',
      },
      '(r.received_on is null and r.submitted_at is not null)',
    ),
    regularisation_asked_on: column.optional(column.date, field.date),
    regularisation_due_on: column.optional(column.date, field.date),
    decision_date: column.optional(column.date, field.date),
    decision_received_on: column.optional(column.date, field.date),
    court_deadline: column.optional(column.date, field.date),
    instance: column.optional(column.enumText(courtInstance), courtInstance),
    judgment_notified_on: column.optional(column.date, field.date),
    appeal_deadline: column.optional(column.date, field.date),
    granted_amount: column.optional(column.decimal, field.decimal(MAX_AMOUNT)),
    refund_amount: column.optional(column.decimal, field.decimal(MAX_AMOUNT)),
    refund_interest: column.optional(column.decimal, field.decimal(MAX_AMOUNT)),
    grounds: column.optional(column.text(), field.longText),
    status_reason: column.writableOnChange(
      column.nullable(column.text(1000)),
      field.nonBlankParagraphs(1000).nullable(),
    ),
    assignee_id: claimAssignee.column,
    ...column.timestampColumns,
  },
  {
    examples: {
      record: {
        id: 'e1000000-0000-4000-8000-000000000001',
        client_id: client.exampleId,
        site_id: site.exampleId,
        claim_type: 'TF',
        amount: 48210.55,
        status: 'PARTIALLY_ACCEPTED',
        tax_year: 2024,
        commune_code: '69290',
        notice_reference: '24 69 1234567 01',
        collection_date: '2024-08-31',
        claim_deadline: '2025-12-31',
        submitted_at: '2024-10-21T08:00:00.000Z',
        submitted_amount: 48210.55,
        response_extended: false,
        response_due_at: '2025-04-21T21:59:59.000Z',
        response_is_estimate: true,
        decision_date: '2025-03-14',
        decision_received_on: '2025-03-14',
        court_deadline: '2025-05-15',
        granted_amount: 30100,
        grounds: 'Surface pondérée surévaluée : les auvents sont comptés comme surface close.',
        assignee_id: 'd1000000-0000-4000-8000-000000000003',
        created_at: '2024-10-07T09:30:00.000Z',
      },
      creation: {
        client_id: client.exampleId,
        site_id: site.exampleId,
        claim_type: 'CFE',
        amount: 12940.5,
        tax_year: 2026,
        commune_code: '69290',
        collection_date: '2026-10-31',
        grounds: 'Base d’imposition : équipement cédé en 2024.',
      },
      change: { refund_amount: 30100 },
    },
    label: ['claim_type', 'tax_year', 'notice_reference'],
    hasDocuments: true,
    moves: { table: 'reclamation_transitions', hasStepBack: true },
  },
);

export const reclamations = list({
  of: reclamation,
  client: 'r.client_id',
  isWide: true,
  clientIndexColumns: ['claim_deadline', 'response_due_at', 'court_deadline'],
  newest: 'created_at',
  filters: {
    client_id: filterByAny(field.uuid, 'r.client_id = $'),
    commune_code: filterByCommune({ orNone: true }),
    assignee_id: claimAssignee.filter,
    partner_id: filterByPartner('r.client_id'),
    q: filterBySearchTextWords(
      ['notice_reference', 'commune_code', 'grounds'],
      [
        { key: 'client_id', table: 'clients', place: 'the name of the client' },
        { key: 'site_id', table: 'sites', place: 'the name of the site' },
      ],
      'app.found_claims($)',
    ),
  },
  selective: ['site_id', 'assignee_id'],
});
