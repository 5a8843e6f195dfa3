import { z } from 'zod';
import { endpoint, type ListQuery } from '../http/endpoint.ts';
import { MANAGERS, ROLES } from '../identity/caller.ts';
import * as column from '../records/column.ts';
import { record, type Rec } from '../records/record.ts';
import { invoice, status as invoiceStatus } from './invoices.ts';
import { partnerInvoice, status as partnerInvoiceStatus } from './partner-invoices.ts';
import { reclamation, reclamationStatus } from './reclamation-record.ts';

/* The moves that the caller can make; the database checks moves against the same tables. */

function moves(name: string, table: string, status: z.ZodEnum): Rec {
  return record(name, table, {
    status: column.read(column.words(status), 'm.status'),
    requires: column.said(
      column.names,
      'The fields that the move needs and the record does not have yet: they are given along with the status.',
      'm.requires',
    ),
  });
}

function possible(of: Rec, id: string, more = `'{}'::text[]`): ListQuery {
  return {
    records: {
      text: `
select m.to_status, app.missing(m.requires, to_jsonb(r)) || ${more}
from (
    select ${of.selected}
    from public.${of.table} as r
    where r.id = $1
) as r
cross join app.moves('${of.table}', r.status) as m`,
      values: [id],
    },
    limit: Number.MAX_SAFE_INTEGER,
    cursor: () => '',
  };
}

export const possibleMoves = [
  endpoint({
    ...{ tag: 'Reclamations', resource: 'reclamations', method: 'get', roles: ROLES },
    of: moves('PossibleReclamationMove', 'reclamation_transitions', reclamationStatus),
    path: '/api/reclamations/{id}/moves',
    summary: 'List the moves that the caller can make with a claim now',
    list: ({ params }) => possible(reclamation, params.id),
  }),
  endpoint({
    ...{ tag: 'Invoices', resource: 'factures', method: 'get', roles: ROLES },
    of: moves('PossibleInvoiceMove', 'invoice_transitions', invoiceStatus),
    path: '/api/invoices/{id}/moves',
    summary: 'List the moves that the caller can make with an invoice now',
    // An invoice that is issued today must not be due before today.
    list: ({ params }) =>
      possible(
        invoice,
        params.id,
        `case
        when m.to_status = 'ISSUED' and r.issue_date is null and r.due_date < clock_timestamp()::date
            then '{due_date}'
        else '{}'
    end::text[]`,
      ),
  }),
  endpoint({
    ...{ tag: 'Partner invoices', resource: 'partner_invoices', method: 'get', roles: MANAGERS },
    of: moves('PossiblePartnerInvoiceMove', 'invoice_transitions', partnerInvoiceStatus),
    path: '/api/partner-invoices/{id}/moves',
    summary: 'List the moves that the caller can make with a partner’s bill now',
    list: ({ params }) => possible(partnerInvoice, params.id),
  }),
];
