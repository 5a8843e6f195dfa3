import { z } from 'zod';
import { endpoint } from '../http/endpoint.ts';
import * as field from '../http/fields.ts';
import { ROLES } from '../identity/caller.ts';
import { containing, CREATED, listOf, UPDATED } from './list.ts';

const cadastre = z
  .strictObject({
    id: z.guid(),
    site_id: z.guid(),
    commune_code: z.string().max(5),
    prefix: z.string().max(3),
    section: z.string().max(2),
    number: z.string().max(4),
    reference: z.string().max(14).meta({
      description: 'The parcel in the land register: commune, prefix, section and number.',
      readOnly: true,
    }),
    area_m2: z.int().nullable(),
    address: z.string().nullable(),
    rental_value: field.decimalOutput.nullable(),
    reference_year: z.int().nullable(),
    created_at: field.timestamp,
    updated_at: field.timestamp,
  })
  .meta({ id: 'Cadastre' });

function code(form: RegExp, rule: string): z.ZodType<string> {
  return z.string(rule).regex(form, rule);
}

const writable = {
  commune_code: field.communeCode,
  prefix: code(/^[0-9]{3}$/, 'must be three digits').optional(),
  section: code(/^[0-9A-Z]{2}$/, 'must be two digits or capital letters'),
  number: code(/^[0-9]{4}$/, 'must be four digits'),
  area_m2: field.integer(0, 2_147_483_647).nullable().optional(),
  address: field.prose.nullable().optional(),
  rental_value: field.decimal('9999999999.99').nullable().optional(),
  reference_year: field.integer(1900, 2200).nullable().optional(),
};

const readOnly = { ...field.readOnly, reference: field.ignored };

const columns = `
    r.id,
    r.site_id,
    r.commune_code,
    r.prefix,
    r.section,
    r.number,
    r.reference,
    r.area_m2,
    r.address,
    r.rental_value,
    r.reference_year,
    r.created_at,
    r.updated_at`;

const params = z.strictObject({ id: field.uuid });

const common = { tag: 'Cadastres', resource: 'cadastres' } as const;

const written = {
  ...common,
  references: { site_id: 'sites' },
  constraints: { cadastres_site_id_reference_key: { number: 'must be of a parcel that the site lacks' } },
} as const;

export const listCadastres = endpoint({
  ...common,
  references: { site_id: 'sites' },
  method: 'get',
  path: '/api/cadastres',
  summary: 'List the parcels of the sites of the caller’s clients',
  roles: ROLES,
  query: z.strictObject({
    ...field.page,
    ...field.created,
    ...field.updated,
    sort: field.sortBy('created_at', 'updated_at', 'commune_code', 'reference'),
    client_id: field.uuid.optional(),
    site_id: field.uuid.optional(),
    commune_code: field.communeCode.optional(),
    q: field.search,
  }),
  responses: { 200: z.array(cadastre) },
  client: ({ query }) => query.client_id,
  list: ({ query }, caller) =>
    listOf(
      {
        columns,
        from: 'public.cadastres as r join public.sites as s on s.id = r.site_id',
        client: 's.client_id',
        sorts: {
          created_at: 'timestamptz',
          updated_at: 'timestamptz',
          commune_code: 'text',
          reference: 'text',
        },
        filters: {
          ...CREATED,
          ...UPDATED,
          client_id: 's.client_id = $',
          site_id: 'r.site_id = $',
          commune_code: 'r.commune_code = $',
          q: '(r.reference ilike $ or r.address ilike $)',
        },
        selective: ['site_id'],
      },
      { ...query, q: containing(query.q) },
      caller,
    ),
});

export const readCadastre = endpoint({
  ...common,
  method: 'get',
  path: '/api/cadastres/{id}',
  summary: 'Read a parcel',
  roles: ROLES,
  params,
  responses: { 200: cadastre },
  id: ({ params }) => params.id,
  record: ({ params }) => ({
    text: `
select to_json(r)::text, app.etag(r.updated_at)
from (
    select ${columns}
    from public.cadastres as r
    where r.id = $1
) r`,
    values: [params.id],
  }),
});

export const createCadastre = endpoint({
  ...written,
  method: 'post',
  path: '/api/cadastres',
  summary: 'Create a parcel of a site',
  roles: ['ADMIN', 'ACCOUNT_MANAGER', 'TAX_SPECIALIST'],
  body: z.strictObject({ ...readOnly, site_id: field.uuid, ...writable }),
  responses: { 201: cadastre },
  create: ({ body }, id) => ({
    text: `
with r as (
    insert into public.cadastres (
        id, site_id, commune_code, prefix, section, number, area_m2, address, rental_value, reference_year
    )
    select
        $1, n.site_id, n.commune_code, coalesce(n.prefix, '000'), n.section, n.number, n.area_m2, n.address,
        n.rental_value, n.reference_year
    from jsonb_populate_record(null::public.cadastres, $2::jsonb) as n
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

export const changeCadastre = endpoint({
  ...written,
  method: 'put',
  path: '/api/cadastres/{id}',
  summary: 'Change the given fields of a parcel',
  roles: ['ADMIN', 'ACCOUNT_MANAGER', 'TAX_SPECIALIST'],
  params,
  body: z.strictObject({ ...readOnly, site_id: field.uuid, ...writable }).partial(),
  responses: { 200: cadastre },
  id: ({ params }) => params.id,
  // A parcel never moves to another site, which could be another client's: one that is sent back must be its own.
  change: ({ params, body }, ifMatch) => ({
    text: `
with r as (
    update public.cadastres as k
    set (commune_code, prefix, section, number, area_m2, address, rental_value, reference_year) = (
        select
            n.commune_code, n.prefix, n.section, n.number, n.area_m2, n.address, n.rental_value, n.reference_year
        from jsonb_populate_record(k, $2::jsonb) as n
    )
    where k.id = $1
        and ($3::text[] is null or app.etag(k.updated_at) = any ($3))
        and ($4::uuid is null or k.site_id = $4)
    returning *
)
select to_json(r)::text, app.etag(r.updated_at)
from (
    select ${columns}
    from r
) r`,
    values: [params.id, JSON.stringify(body), ifMatch, body.site_id ?? null],
  }),
});

export const deleteCadastre = endpoint({
  ...common,
  method: 'delete',
  path: '/api/cadastres/{id}',
  summary: 'Delete a parcel',
  roles: ['ADMIN', 'ACCOUNT_MANAGER'],
  params,
  responses: { 204: null },
  id: ({ params }) => params.id,
  remove: ({ params }, ifMatch) => ({
    text: `
delete from public.cadastres as k
where k.id = $1 and ($2::text[] is null or app.etag(k.updated_at) = any ($2))`,
    values: [params.id, ifMatch],
  }),
});
