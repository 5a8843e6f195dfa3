import { z } from 'zod';
import { endpoint } from '../http/endpoint.ts';
import * as field from '../http/fields.ts';
import { ROLES } from '../identity/caller.ts';
import { containing, CREATED, listOf, UPDATED } from './list.ts';
import { parentFirst } from './parent-first.ts';

/** DRAFT → ISSUED → PAID or CANCELLED; the database holds the moves. */
const STATUSES = ['DRAFT', 'ISSUED', 'PAID', 'CANCELLED'] as const;

const invoice = z
  .strictObject({
    id: z.guid(),
    client_id: z.guid(),
    reclamation_id: z.guid().nullable(),
    number: z.string().max(50).nullable().meta({
      description: 'Given when the invoice is issued, without a gap within a year.',
      readOnly: true,
    }),
    status: z.enum(STATUSES),
    issue_date: z.iso.date().nullable(),
    due_date: z.iso.date().nullable(),
    amount_excl_tax: field.decimalOutput,
    vat_rate: field.decimalOutput,
    vat_amount: field.decimalOutput,
    amount_incl_tax: field.decimalOutput,
    paid_at: field.timestamp.nullable(),
    created_at: field.timestamp,
    updated_at: field.timestamp,
  })
  .meta({ id: 'Invoice' });

const writable = {
  reclamation_id: field.uuid.nullable().optional(),
  issue_date: field.date.nullable().optional(),
  due_date: field.date.nullable().optional(),
  amount_excl_tax: field.decimal('4999999999.99'),
  vat_rate: field.decimal('100.00').optional(),
};

const readOnly = {
  ...field.readOnly,
  number: field.ignored,
  vat_amount: field.ignored,
  amount_incl_tax: field.ignored,
};

const columns = `
    r.id,
    r.client_id,
    r.reclamation_id,
    r.number,
    r.status,
    r.issue_date,
    r.due_date,
    r.amount_excl_tax,
    r.vat_rate,
    r.vat_amount,
    r.amount_incl_tax,
    r.paid_at,
    r.created_at,
    r.updated_at`;

const params = z.strictObject({ id: field.uuid });

const common = { tag: 'Invoices', resource: 'factures' } as const;

const written = {
  ...common,
  references: { client_id: 'clients', reclamation_id: 'reclamations' },
  constraints: {
    factures_reclamation_of_client: { reclamation_id: 'must be a record of the same client' },
    factures_due_after_issue: { due_date: 'must not lie before issue_date' },
    factures_paid_when_paid: { paid_at: 'must be given for a paid invoice alone' },
    factures_dated_when_issued: { issue_date: 'must be given once the invoice is issued' },
  },
} as const;

export const listInvoices = endpoint({
  ...common,
  references: { reclamation_id: 'reclamations' },
  method: 'get',
  path: '/api/invoices',
  summary: 'List the invoices of the caller’s clients',
  roles: ROLES,
  query: z.strictObject({
    ...field.page,
    ...field.created,
    ...field.updated,
    sort: field.sortBy('created_at', 'updated_at', 'status', 'amount_excl_tax', 'amount_incl_tax'),
    client_id: field.uuid.optional(),
    reclamation_id: field.uuid.optional(),
    status: field.oneOf(...STATUSES).optional(),
    number: field.text(50).optional(),
    q: field.search,
  }),
  responses: { 200: z.array(invoice) },
  client: ({ query }) => query.client_id,
  list: ({ query }, caller) =>
    listOf(
      {
        columns,
        from: 'public.factures as r',
        client: 'r.client_id',
        sorts: {
          created_at: 'timestamptz',
          updated_at: 'timestamptz',
          status: 'text',
          amount_excl_tax: 'numeric',
          amount_incl_tax: 'numeric',
        },
        filters: {
          ...CREATED,
          ...UPDATED,
          client_id: 'r.client_id = $',
          reclamation_id: 'r.reclamation_id = $',
          status: 'r.status = $',
          number: 'r.number = $',
          q: 'r.number ilike $',
        },
        selective: ['reclamation_id', 'number'],
      },
      { ...query, q: containing(query.q) },
      caller,
    ),
});

export const readInvoice = endpoint({
  ...common,
  method: 'get',
  path: '/api/invoices/{id}',
  summary: 'Read an invoice',
  roles: ROLES,
  params,
  responses: { 200: invoice },
  id: ({ params }) => params.id,
  record: ({ params }) => ({
    text: `
select to_json(r)::text, app.etag(r.updated_at)
from (
    select ${columns}
    from public.factures as r
    where r.id = $1
) r`,
    values: [params.id],
  }),
});

export const createInvoice = endpoint({
  ...written,
  method: 'post',
  path: '/api/invoices',
  summary: 'Create an invoice, as DRAFT, for a client and perhaps one of its claims',
  roles: ['ADMIN', 'ACCOUNT_MANAGER'],
  body: z.strictObject({
    ...readOnly,
    client_id: field.uuid,
    status: z.literal('DRAFT', 'must be DRAFT: an invoice begins there').optional(),
    ...writable,
  }),
  responses: { 201: invoice },
  client: ({ body }) => body.client_id,
  create: ({ body }, id) => ({
    text: `
with r as (
    insert into public.factures (
        id, client_id, reclamation_id, issue_date, due_date, amount_excl_tax, vat_rate
    )
    select
        $1, n.client_id, n.reclamation_id, n.issue_date, n.due_date, n.amount_excl_tax, coalesce(n.vat_rate, 20)
    from jsonb_populate_record(null::public.factures, $2::jsonb) as n
    returning *
)
select to_json(r)::text, app.etag(r.updated_at)
from (
    select ${columns}
    from r
) r`,
    values: [id, JSON.stringify(body)],
  }),
});

/**
 * A status that is given is a move, as it is for a claim: of two who make one at once the second finds the invoice
 * changed since its statement began (`seen`) and touches nothing, which is a conflict.
 */
export const changeInvoice = endpoint({
  ...written,
  method: 'put',
  path: '/api/invoices/{id}',
  summary: 'Change the given fields of a draft, or issue, settle or cancel an invoice',
  roles: ['ADMIN', 'ACCOUNT_MANAGER'],
  params,
  body: z
    .strictObject({
      ...readOnly,
      client_id: field.uuid,
      status: field.oneOf(...STATUSES),
      paid_at: field.timestampInput.nullable(),
      ...writable,
    })
    .partial(),
  responses: { 200: invoice },
  client: ({ body }) => body.client_id,
  id: ({ params }) => params.id,
  change: ({ params, body }, ifMatch) => [
    ...parentFirst('reclamations', body.reclamation_id),
    {
      text: `
with seen as materialized (
    select f.status
    from public.factures as f
    where f.id = $1
),
r as (
    update public.factures as f
    set (reclamation_id, status, issue_date, due_date, amount_excl_tax, vat_rate, paid_at) = (
        select
            n.reclamation_id, n.status, n.issue_date, n.due_date, n.amount_excl_tax, n.vat_rate, n.paid_at
        from jsonb_populate_record(f, $2::jsonb) as n
    )
    where f.id = $1
        and ($3::text[] is null or app.etag(f.updated_at) = any ($3))
        and ($4::uuid is null or f.client_id = $4)
        and ($5::text is null or f.status = (select s.status from seen as s))
        and (not $6::boolean or f.status <> $5)
    returning *
)
select to_json(r)::text, app.etag(r.updated_at)
from (
    select ${columns}
    from r
) r`,
      values: [
        params.id,
        JSON.stringify(body),
        ifMatch,
        body.client_id ?? null,
        body.status ?? null,
        Object.keys(body).join() === 'status',
      ],
    },
  ],
});

export const deleteInvoice = endpoint({
  ...common,
  method: 'delete',
  path: '/api/invoices/{id}',
  summary: 'Delete a draft; a conflict once the invoice was issued',
  roles: ['ADMIN'],
  params,
  responses: { 204: null },
  id: ({ params }) => params.id,
  remove: ({ params }, ifMatch) => ({
    text: `
delete from public.factures as f
where f.id = $1 and ($2::text[] is null or app.etag(f.updated_at) = any ($2))`,
    values: [params.id, ifMatch],
  }),
});
