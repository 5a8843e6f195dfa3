import { z } from 'zod';
import * as field from '../http/fields.ts';

/** The states of a claim; which move is allowed to whom stands in the table reclamation_transitions. */
export const STATUSES = [
  'DRAFT',
  'READY_FOR_REVIEW',
  'APPROVED',
  'SUBMITTED',
  'ACKNOWLEDGED',
  'REGULARISATION_REQUESTED',
  'ACCEPTED',
  'PARTIALLY_ACCEPTED',
  'REJECTED',
  'LITIGATION',
  'REFUNDED',
  'WITHDRAWN',
  'CLOSED',
] as const;

export const CLAIM_TYPES = ['TF', 'CFE'] as const;

export const reclamation = z
  .strictObject({
    id: z.guid(),
    client_id: z.guid(),
    site_id: z.guid(),
    claim_type: z.enum(CLAIM_TYPES),
    amount: field.decimalOutput,
    status: z.enum(STATUSES),
    tax_year: z.int().nullable(),
    commune_code: z.string().max(5).nullable(),
    notice_reference: z.string().max(100).nullable(),
    collection_date: z.iso.date().nullable(),
    claim_deadline: z.iso.date().nullable(),
    submitted_at: field.timestamp.nullable(),
    response_due_at: field.timestamp.nullable(),
    decision_date: z.iso.date().nullable(),
    court_deadline: z.iso.date().nullable(),
    granted_amount: field.decimalOutput.nullable(),
    refund_amount: field.decimalOutput.nullable(),
    grounds: z.string().nullable(),
    created_at: field.timestamp,
    updated_at: field.timestamp,
  })
  .meta({ id: 'Reclamation' });

export const columns = `
    r.id,
    r.client_id,
    r.site_id,
    r.claim_type,
    r.amount,
    r.status,
    r.tax_year,
    r.commune_code,
    r.notice_reference,
    r.collection_date,
    r.claim_deadline,
    r.submitted_at,
    r.response_due_at,
    r.decision_date,
    r.court_deadline,
    r.granted_amount,
    r.refund_amount,
    r.grounds,
    r.created_at,
    r.updated_at`;

export const common = { tag: 'Reclamations', resource: 'reclamations' } as const;
