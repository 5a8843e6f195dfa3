import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Statement } from '../db/statement.ts';
import { RequestError } from '../errors.ts';
import { changedInSteps, created } from '../http/answer.ts';
import { endpoint } from '../http/endpoint.ts';
import * as field from '../http/fields.ts';
import type { Caller, Role } from '../identity/caller.ts';
import { containing, CREATED, listOf, UPDATED } from './list.ts';
import { isSiret } from './siret.ts';

const partner = z
  .strictObject({
    id: z.guid(),
    name: z.string().max(255),
    siret: z.string().max(14).nullable(),
    contact_email: z.string().max(255).nullable(),
    phone: z.string().max(50).nullable(),
    address: z.string().nullable(),
    commission_rate: field.decimalOutput.nullable(),
    client_ids: z.array(z.guid()).meta({ description: 'Those that the caller has access to.' }),
    created_at: field.timestamp,
    updated_at: field.timestamp,
  })
  .meta({ id: 'Partner' });

const writable = {
  name: field.name(255),
  siret: z
    .string('must be 14 digits')
    .regex(/^[0-9]{14}$/, { error: 'must be 14 digits', abort: true })
    .refine(isSiret, 'must be a SIRET: its check digit is wrong')
    .nullable()
    .optional(),
  contact_email: field.email.nullable().optional(),
  phone: field.text(50).nullable().optional(),
  address: field.prose.nullable().optional(),
  commission_rate: field.decimal('100.00').nullable().optional(),
  client_ids: z
    .array(field.uuid, 'must be a list of clients')
    .max(1000, 'must be a list of at most 1000 clients')
    .optional(),
};

/** The links that the caller sees; the policies leave out those of others. */
const LINKED = `array(
        select l.client_id
        from public.client_partners as l
        where l.partner_id = r.id
        order by l.client_id
    )`;

const columns = `
    r.id,
    r.name,
    r.siret,
    r.contact_email,
    r.phone,
    r.address,
    r.commission_rate,
    ${LINKED} as client_ids,
    r.created_at,
    r.updated_at`;

/** Of the links too, which go with their clients and differ by caller: the last change alone would be no version. */
const TAG = `'"' || md5(r.updated_at::text || ${LINKED}::text) || '"'`;

const STAFF: readonly Role[] = ['ADMIN', 'ACCOUNT_MANAGER', 'TAX_SPECIALIST'];

const params = z.strictObject({ id: field.uuid });

const common = { tag: 'Partners', resource: 'partners' } as const;

const written = { ...common, references: { client_ids: 'clients' } } as const;

function reading(id: string): Statement {
  return {
    text: `
select (
    select to_json(p)::text
    from (select ${columns}) as p
), ${TAG}
from public.partners as r
where r.id = $1`,
    values: [id],
  };
}

/** Adds the links that are missing. */
function linking(id: string, clients: readonly string[]): Statement {
  return {
    text: `
insert into public.client_partners (client_id, partner_id)
select client.id, $1
from unnest($2::uuid[]) as client (id)
order by client.id
on conflict do nothing`,
    values: [id, clients],
  };
}

/**
 * A partner is seen through its links: whoever does not see everything needs one.
 * @throws RequestError ERROR_VALIDATION
 */
function requireLink(clients: readonly string[], { role, clientAccess }: Caller): void {
  if (clients.length > 0 || (role === 'ADMIN' && clientAccess.length === 0)) return;
  const rule = 'must name at least one of your clients';
  throw new RequestError('ERROR_VALIDATION', `client_ids ${rule}`, { details: { client_ids: rule } });
}

export const listPartners = endpoint({
  ...common,
  method: 'get',
  path: '/api/partners',
  summary: 'List the partners of the caller’s clients',
  roles: STAFF,
  query: z.strictObject({
    ...field.page,
    ...field.created,
    ...field.updated,
    sort: field.sortBy('created_at', 'updated_at', 'name'),
    client_id: field.uuid.optional(),
    siret: field.text(14).optional(),
    q: field.search,
  }),
  responses: { 200: z.array(partner) },
  // Not narrowed to that client: a partner is shown with all the links that the caller sees.
  clients: ({ query }) => (query.client_id === undefined ? [] : [query.client_id]),
  list: ({ query }, caller) =>
    listOf(
      {
        columns,
        from: 'public.partners as r',
        sorts: { created_at: 'timestamptz', updated_at: 'timestamptz', name: 'text' },
        filters: {
          ...CREATED,
          ...UPDATED,
          client_id:
            'exists (select from public.client_partners as l where l.partner_id = r.id and l.client_id = $)',
          siret: 'r.siret = $',
          q: '(r.name ilike $ or r.contact_email ilike $ or r.address ilike $)',
        },
      },
      { ...query, q: containing(query.q) },
      caller,
    ),
});

export const readPartner = endpoint({
  ...common,
  method: 'get',
  path: '/api/partners/{id}',
  summary: 'Read a partner',
  roles: STAFF,
  params,
  responses: { 200: partner },
  id: ({ params }) => params.id,
  record: ({ params }) => reading(params.id),
});

export const createPartner = endpoint({
  ...written,
  method: 'post',
  path: '/api/partners',
  summary: 'Create a partner, linked to clients',
  roles: ['ADMIN', 'ACCOUNT_MANAGER'],
  body: z.strictObject({ ...field.readOnly, ...writable }),
  responses: { 201: partner },
  clients: ({ body }) => body.client_ids ?? [],
  handle: async ({ body }, request) => {
    const clients = body.client_ids ?? [];
    requireLink(clients, request.caller);
    const id = randomUUID();
    const [, , made] = await request.runAll(
      {
        text: `
insert into public.partners (id, name, siret, contact_email, phone, address, commission_rate)
select $1, n.name, n.siret, n.contact_email, n.phone, n.address, n.commission_rate
from jsonb_populate_record(null::public.partners, $2::jsonb) as n`,
        values: [id, JSON.stringify(body)],
      },
      linking(id, clients),
      reading(id),
    );
    return created(made, `/api/partners/${id}`);
  },
});

/**
 * The links that are given replace those that the caller sees. Statement by statement, so that whoever waited for
 * another's change replaces what that one has left; the new ones first, so that sight of the partner is never lost.
 */
export const changePartner = endpoint({
  ...written,
  method: 'put',
  path: '/api/partners/{id}',
  summary: 'Change the given fields of a partner; client_ids replaces the links that the caller sees',
  roles: ['ADMIN', 'ACCOUNT_MANAGER'],
  params,
  body: z.strictObject({ ...field.readOnly, ...writable }).partial(),
  responses: { 200: partner },
  clients: ({ body }) => body.client_ids ?? [],
  id: ({ params }) => params.id,
  handle: async ({ params, body }, request) => {
    const { client_ids: clients } = body;
    if (clients !== undefined) requireLink(clients, request.caller);
    return changedInSteps(request, async (run) => {
      const touched = await run({
        text: `
update public.partners as r
set (name, siret, contact_email, phone, address, commission_rate) = (
    select n.name, n.siret, n.contact_email, n.phone, n.address, n.commission_rate
    from jsonb_populate_record(r, $2::jsonb) as n
)
where r.id = $1 and ($3::text[] is null or ${TAG} = any ($3))`,
        values: [params.id, JSON.stringify(body), request.ifMatch],
      });
      if (touched.rowCount === 0) return touched;
      if (clients !== undefined) {
        await run(linking(params.id, clients));
        await run({
          text: 'delete from public.client_partners where partner_id = $1 and client_id <> all ($2::uuid[])',
          values: [params.id, clients],
        });
      }
      return run(reading(params.id));
    });
  },
});

/**
 * The partner with the links that the caller sees; links of others and bills hold it: a conflict. It is held first, so
 * that the links are those that another's change has left, and none is added meanwhile.
 */
export const deletePartner = endpoint({
  ...common,
  method: 'delete',
  path: '/api/partners/{id}',
  summary: 'Delete a partner; a conflict while it has bills, or links that the caller does not see',
  roles: ['ADMIN'],
  params,
  responses: { 204: null },
  id: ({ params }) => params.id,
  remove: ({ params }, ifMatch) => [
    { text: 'select from public.partners as r where r.id = $1 for update', values: [params.id] },
    {
      text: `
with gone as (
    delete from public.partners as r
    where r.id = $1 and ($2::text[] is null or ${TAG} = any ($2))
    returning r.id
),
unlinked as (
    delete from public.client_partners as l
    using gone
    where l.partner_id = gone.id
)
select gone.id
from gone`,
      values: [params.id, ifMatch],
    },
  ],
});
