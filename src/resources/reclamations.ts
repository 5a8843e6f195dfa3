import { z } from 'zod';
import { endpoint } from '../http/endpoint.ts';
import { page, uuid } from '../http/fields.ts';
import { ROLES } from '../identity/caller.ts';

const timestamp = z.iso.datetime({ offset: true });
const decimal = z.number().meta({ multipleOf: 0.01 });

const reclamation = z
  .strictObject({
    id: z.guid(),
    client_id: z.guid(),
    site_id: z.guid(),
    claim_type: z.enum(['TF', 'CFE']),
    amount: decimal,
    status: z.string().max(50),
    tax_year: z.int().nullable(),
    commune_code: z.string().max(5).nullable(),
    notice_reference: z.string().max(100).nullable(),
    collection_date: z.iso.date().nullable(),
    claim_deadline: z.iso.date().nullable(),
    submitted_at: timestamp.nullable(),
    response_due_at: timestamp.nullable(),
    decision_date: z.iso.date().nullable(),
    court_deadline: z.iso.date().nullable(),
    granted_amount: decimal.nullable(),
    refund_amount: decimal.nullable(),
    grounds: z.string().nullable(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Reclamation' });

const columns = `
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

export const listReclamationsOfClient = endpoint({
  method: 'get',
  path: '/api/clients/{clientId}/reclamations',
  summary: 'List the claims of a client, newest first',
  tag: 'Reclamations',
  resource: 'reclamations',
  roles: ROLES,
  params: z.strictObject({ clientId: uuid }),
  query: z.strictObject({ ...page }),
  responses: { 200: z.array(reclamation) },
  client: ({ params }) => params.clientId,
  // From the client, so that a client without claims gives one row and a missing client none.
  list: ({ params, query }) => ({
    text: `
select to_json(r)::text
from public.clients c
left join lateral (
    select ${columns}
    from public.reclamations r
    where r.client_id = c.id
    order by r.created_at desc, r.id desc
    limit $2 offset $3
) r on true
where c.id = $1
order by r.created_at desc, r.id desc`,
    values: [params.clientId, query.limit, query.offset],
  }),
});
