import { z } from 'zod';
import { endpoint } from '../http/endpoint.ts';
import * as field from '../http/fields.ts';
import { ROLES } from '../identity/caller.ts';
import { parentFirst } from './parent-first.ts';
import { CLAIM_TYPES, columns, common, reclamation, STATUSES } from './reclamation-record.ts';

const MOST = '99999999.99';

const writable = {
  site_id: field.uuid,
  claim_type: field.oneOf(...CLAIM_TYPES),
  amount: field.decimal(MOST),
  tax_year: field.integer(1900, 2200).nullable().optional(),
  commune_code: field.communeCode.nullable().optional(),
  notice_reference: field.text(100).nullable().optional(),
  collection_date: field.date.nullable().optional(),
  submitted_at: field.timestampInput.nullable().optional(),
  decision_date: field.date.nullable().optional(),
  court_deadline: field.date.nullable().optional(),
  granted_amount: field.decimal(MOST).nullable().optional(),
  refund_amount: field.decimal(MOST).nullable().optional(),
  grounds: field.prose.nullable().optional(),
};

const readOnly = { ...field.readOnly, claim_deadline: field.ignored, response_due_at: field.ignored };

const params = z.strictObject({ id: field.uuid });

const written = {
  ...common,
  references: { client_id: 'clients', site_id: 'sites' },
  constraints: {
    reclamations_site_of_client: { site_id: 'must be a record of the same client' },
    reclamations_granted_amount_range: { granted_amount: 'must not exceed amount' },
  },
} as const;

export const readReclamation = endpoint({
  ...common,
  method: 'get',
  path: '/api/reclamations/{id}',
  summary: 'Read a claim',
  roles: ROLES,
  params,
  responses: { 200: reclamation },
  id: ({ params }) => params.id,
  record: ({ params }) => ({
    text: `
select to_json(r)::text, app.etag(r.updated_at)
from (
    select ${columns}
    from public.reclamations as r
    where r.id = $1
) r`,
    values: [params.id],
  }),
});

export const createReclamation = endpoint({
  ...written,
  method: 'post',
  path: '/api/reclamations',
  summary: 'Create a claim, as DRAFT, for a site of the same client',
  roles: ['ADMIN', 'ACCOUNT_MANAGER', 'TAX_SPECIALIST'],
  body: z.strictObject({
    ...readOnly,
    client_id: field.uuid,
    status: z.literal('DRAFT', 'must be DRAFT: a claim begins there').optional(),
    ...writable,
  }),
  responses: { 201: reclamation },
  client: ({ body }) => body.client_id,
  create: ({ body }, id) => ({
    text: `
with r as (
    insert into public.reclamations (
        id, client_id, site_id, claim_type, amount, tax_year, commune_code, notice_reference, collection_date,
        submitted_at, decision_date, court_deadline, granted_amount, refund_amount, grounds
    )
    select
        $1, n.client_id, n.site_id, n.claim_type, n.amount, n.tax_year, n.commune_code, n.notice_reference,
        n.collection_date, n.submitted_at, n.decision_date, n.court_deadline, n.granted_amount, n.refund_amount,
        n.grounds
    from jsonb_populate_record(null::public.reclamations, $2::jsonb) as n
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
 * A status that is given is a move. Of two who make one at once the second finds the claim changed since its statement
 * began (`seen`) and touches nothing: a conflict, as is a move to where the claim already is, unless it comes along
 * with other fields of the record that was read.
 */
export const changeReclamation = endpoint({
  ...written,
  method: 'put',
  path: '/api/reclamations/{id}',
  summary: 'Change the given fields of a claim, or move it to another status',
  roles: ['ADMIN', 'ACCOUNT_MANAGER', 'TAX_SPECIALIST'],
  params,
  body: z
    .strictObject({ ...readOnly, client_id: field.uuid, status: field.oneOf(...STATUSES), ...writable })
    .partial(),
  responses: { 200: reclamation },
  client: ({ body }) => body.client_id,
  id: ({ params }) => params.id,
  change: ({ params, body }, ifMatch) => [
    ...parentFirst('sites', body.site_id),
    {
      text: `
with seen as materialized (
    select c.status
    from public.reclamations as c
    where c.id = $1
),
r as (
    update public.reclamations as c
    set (
        site_id, claim_type, amount, status, tax_year, commune_code, notice_reference, collection_date,
        submitted_at, decision_date, court_deadline, granted_amount, refund_amount, grounds
    ) = (
        select
            n.site_id, n.claim_type, n.amount, n.status, n.tax_year, n.commune_code, n.notice_reference,
            n.collection_date, n.submitted_at, n.decision_date, n.court_deadline, n.granted_amount, n.refund_amount,
            n.grounds
        from jsonb_populate_record(c, $2::jsonb) as n
    )
    where c.id = $1
        and ($3::text[] is null or app.etag(c.updated_at) = any ($3))
        and ($4::uuid is null or c.client_id = $4)
        and ($5::text is null or c.status = (select s.status from seen as s))
        and (not $6::boolean or c.status <> $5)
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

export const deleteReclamation = endpoint({
  ...common,
  method: 'delete',
  path: '/api/reclamations/{id}',
  summary: 'Delete a claim with its documents and its history',
  roles: ['ADMIN', 'ACCOUNT_MANAGER'],
  params,
  responses: { 204: null },
  id: ({ params }) => params.id,
  remove: ({ params }, ifMatch) => ({
    text: `
delete from public.reclamations as c
where c.id = $1 and ($2::text[] is null or app.etag(c.updated_at) = any ($2))`,
    values: [params.id, ifMatch],
  }),
});
