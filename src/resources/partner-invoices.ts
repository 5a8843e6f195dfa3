import { z } from 'zod';
import { endpoint } from '../http/endpoint.ts';
import * as field from '../http/fields.ts';
import type { Role } from '../identity/caller.ts';
import { containing, CREATED, listOf, UPDATED } from './list.ts';
import { parentFirst } from './parent-first.ts';

/** RECEIVED → VALIDATED → PAID, or DISPUTED on the way; the database holds the moves. */
const STATUSES = ['RECEIVED', 'VALIDATED', 'PAID', 'DISPUTED'] as const;

const partnerInvoice = z
  .strictObject({
    id: z.guid(),
    partner_id: z.guid(),
    client_id: z.guid(),
    invoice_id: z.guid().nullable(),
    number: z.string().max(50),
    status: z.enum(STATUSES),
    issue_date: z.iso.date().nullable(),
    due_date: z.iso.date().nullable(),
    amount_excl_tax: field.decimalOutput,
    vat_rate: field.decimalOutput,
    vat_amount: field.decimalOutput,
    amount_incl_tax: field.decimalOutput,
    created_at: field.timestamp,
    updated_at: field.timestamp,
  })
  .meta({ id: 'PartnerInvoice' });

const MOST = '4999999999.99';

/** The bill as printed; the database works out what it does not say. */
const writable = {
  invoice_id: field.uuid.nullable().optional(),
  number: field.name(50),
  issue_date: field.date.nullable().optional(),
  due_date: field.date.nullable().optional(),
  amount_excl_tax: field.decimal(MOST),
  vat_rate: field.decimal('100.00').optional(),
  vat_amount: field.decimal(MOST).nullable().optional(),
  amount_incl_tax: field.decimal('9999999999.98').nullable().optional(),
};

const columns = `
    r.id,
    r.partner_id,
    r.client_id,
    r.invoice_id,
    r.number,
    r.status,
    r.issue_date,
    r.due_date,
    r.amount_excl_tax,
    r.vat_rate,
    r.vat_amount,
    r.amount_incl_tax,
    r.created_at,
    r.updated_at`;

/** A tax specialist and the client never see one: it is the firm's margin. */
const MANAGERS: readonly Role[] = ['ADMIN', 'ACCOUNT_MANAGER'];

const params = z.strictObject({ id: field.uuid });

const common = { tag: 'Partner invoices', resource: 'partner_invoices' } as const;

const written = {
  ...common,
  references: { client_id: 'clients', partner_id: 'partners', invoice_id: 'factures' },
  constraints: {
    partner_invoices_invoice_of_client: { invoice_id: 'must be a record of the same client' },
    partner_invoices_due_after_issue: { due_date: 'must not lie before issue_date' },
    partner_invoices_sum: { amount_incl_tax: 'must be the sum of amount_excl_tax and vat_amount' },
    partner_invoices_partner_id_number_key: { number: 'must be one that the partner has not used' },
  },
} as const;

export const listPartnerInvoices = endpoint({
  ...common,
  references: { partner_id: 'partners', invoice_id: 'factures' },
  method: 'get',
  path: '/api/partner-invoices',
  summary: 'List what partners billed for the caller’s clients',
  roles: MANAGERS,
  query: z.strictObject({
    ...field.page,
    ...field.created,
    ...field.updated,
    sort: field.sortBy('created_at', 'updated_at', 'status', 'amount_excl_tax', 'amount_incl_tax'),
    client_id: field.uuid.optional(),
    partner_id: field.uuid.optional(),
    invoice_id: field.uuid.optional(),
    status: field.oneOf(...STATUSES).optional(),
    number: field.text(50).optional(),
    q: field.search,
  }),
  responses: { 200: z.array(partnerInvoice) },
  client: ({ query }) => query.client_id,
  list: ({ query }, caller) =>
    listOf(
      {
        columns,
        from: 'public.partner_invoices as r',
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
          partner_id: 'r.partner_id = $',
          invoice_id: 'r.invoice_id = $',
          status: 'r.status = $',
          number: 'r.number = $',
          q: 'r.number ilike $',
        },
        selective: ['partner_id', 'invoice_id'],
      },
      { ...query, q: containing(query.q) },
      caller,
    ),
});

export const readPartnerInvoice = endpoint({
  ...common,
  method: 'get',
  path: '/api/partner-invoices/{id}',
  summary: 'Read a partner’s bill',
  roles: MANAGERS,
  params,
  responses: { 200: partnerInvoice },
  id: ({ params }) => params.id,
  record: ({ params }) => ({
    text: `
select to_json(r)::text, app.etag(r.updated_at)
from (
    select ${columns}
    from public.partner_invoices as r
    where r.id = $1
) r`,
    values: [params.id],
  }),
});

export const createPartnerInvoice = endpoint({
  ...written,
  method: 'post',
  path: '/api/partner-invoices',
  summary: 'Create a partner’s bill, as RECEIVED, for a client that the partner is linked to',
  roles: MANAGERS,
  body: z.strictObject({
    ...field.readOnly,
    partner_id: field.uuid,
    client_id: field.uuid,
    status: z.literal('RECEIVED', 'must be RECEIVED: a bill begins there').optional(),
    ...writable,
  }),
  responses: { 201: partnerInvoice },
  client: ({ body }) => body.client_id,
  create: ({ body }, id) => ({
    text: `
with r as (
    insert into public.partner_invoices (
        id, partner_id, client_id, invoice_id, number, issue_date, due_date, amount_excl_tax, vat_rate, vat_amount,
        amount_incl_tax
    )
    select
        $1, n.partner_id, n.client_id, n.invoice_id, n.number, n.issue_date, n.due_date, n.amount_excl_tax,
        coalesce(n.vat_rate, 20), n.vat_amount, n.amount_incl_tax
    from jsonb_populate_record(null::public.partner_invoices, $2::jsonb) as n
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
 * A status that is given is a move, as it is for a claim: of two who make one at once the second finds the bill changed
 * since its statement began (`seen`) and touches nothing, which is a conflict.
 */
export const changePartnerInvoice = endpoint({
  ...written,
  method: 'put',
  path: '/api/partner-invoices/{id}',
  summary: 'Change the given fields of a partner’s bill, or move it to another status',
  roles: MANAGERS,
  params,
  body: z
    .strictObject({
      ...field.readOnly,
      partner_id: field.uuid,
      client_id: field.uuid,
      status: field.oneOf(...STATUSES),
      ...writable,
    })
    .partial(),
  responses: { 200: partnerInvoice },
  client: ({ body }) => body.client_id,
  id: ({ params }) => params.id,
  change: ({ params, body }, ifMatch) => [
    ...parentFirst('factures', body.invoice_id),
    {
      text: `
with seen as materialized (
    select b.status
    from public.partner_invoices as b
    where b.id = $1
),
r as (
    update public.partner_invoices as b
    set (
        invoice_id, number, status, issue_date, due_date, amount_excl_tax, vat_rate, vat_amount, amount_incl_tax
    ) = (
        select
            n.invoice_id, n.number, n.status, n.issue_date, n.due_date, n.amount_excl_tax, n.vat_rate, n.vat_amount,
            n.amount_incl_tax
        from jsonb_populate_record(b, $2::jsonb) as n
    )
    where b.id = $1
        and ($3::text[] is null or app.etag(b.updated_at) = any ($3))
        and ($4::uuid is null or b.client_id = $4)
        and ($5::text is null or b.status = (select s.status from seen as s))
        and (not $6::boolean or b.status <> $5)
        and ($7::uuid is null or b.partner_id = $7)
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
        body.partner_id ?? null,
      ],
    },
  ],
});

export const deletePartnerInvoice = endpoint({
  ...common,
  method: 'delete',
  path: '/api/partner-invoices/{id}',
  summary: 'Delete a partner’s bill',
  roles: ['ADMIN'],
  params,
  responses: { 204: null },
  id: ({ params }) => params.id,
  remove: ({ params }, ifMatch) => ({
    text: `
delete from public.partner_invoices as b
where b.id = $1 and ($2::text[] is null or app.etag(b.updated_at) = any ($2))`,
    values: [params.id, ifMatch],
  }),
});
