import { hash, randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Statement } from '../db/statement.ts';
import { validationError } from '../errors.ts';
import { replyWithRecord } from '../http/answer.ts';
import { createRecord } from '../http/creation.ts';
import { endpoint } from '../http/endpoint.ts';
import * as field from '../http/fields.ts';
import { RecordNotFound } from '../http/errors.ts';
import { MANAGER_ROLES, SPECIALIST_ROLES, type Caller } from '../identity/caller.ts';
import { rule } from '../problems.ts';
import * as column from '../records/column.ts';
import { endpointsOf } from '../records/endpoints.ts';
import { filterByCondition, filterByAny, filterByText } from '../records/filters.ts';
import { list as listOf } from '../records/list.ts';
import { record } from '../records/record.ts';
import { isSiret, NOBODYS_SIREN } from './business-numbers.ts';

const LINKED_CLIENTS_SQL = `array(
        select l.client_id
        from public.client_partners as l
        where l.partner_id = r.id
        order by l.client_id
    )`;

const clientIds = column.withMeta(column.uuids, { description: 'Clients of the partner that the caller may see.' });

export const partner = record(
  'Partner',
  'partners',
  {
    id: column.id,
    name: column.writable(column.text(255), field.nonBlankText(255)),
    siret: column.optional(
      column.text(14),
      field
        .code(rule('not_a_siret'))
        .regex(/^[0-9]{14}$/, { error: rule('not_a_siret'), abort: true })
        .refine((siret) => !siret.startsWith(NOBODYS_SIREN), { error: rule('not_a_siret.nobody'), abort: true })
        .refine(isSiret, rule('not_a_siret.check')),
    ),
    contact_email: column.optional(column.text(255), field.contactEmail),
    phone: column.optional(column.text(50), field.text(50)),
    address: column.optional(column.text(), field.longText),
    commission_rate: column.optional(column.percent, field.percent),
    client_ids: column.writtenByEndpoint(
      clientIds,
      z
        .array(field.uuid, rule('not_a_list.clients'))
        .max(1000, rule('too_many_items.clients', { max: 1000 }))
        .meta({
          description:
            'Clients of the partner: at least one of the caller’s clients, unless the caller has access to all clients.',
        })
        .optional(),
      LINKED_CLIENTS_SQL,
    ),
    ...column.timestampColumns,
  },
  {
    examples: {
      record: {
        id: 'b1000000-0000-4000-8000-000000000001',
        name: 'Apport Conseil Rhône-Alpes',
        siret: '90123456700013',
        contact_email: 'contact@apport-conseil.example',
        phone: '+33 4 72 00 00 01',
        address: '6 place Bellecour, 69002 Lyon',
        commission_rate: 12.5,
        client_ids: ['c1000000-0000-4000-8000-000000000001', 'c1000000-0000-4000-8000-000000000003'],
      },
      creation: {
        name: 'Cabinet Dubois Conseil',
        siret: '73282932000074',
        contact_email: 'contact@dubois-conseil.example',
        commission_rate: 8,
        client_ids: ['c1000000-0000-4000-8000-000000000001'],
      },
      change: { commission_rate: 11.5 },
    },
    label: ['name'],
    tag: {
      sql: `'"' || md5(r.updated_at::text || ${LINKED_CLIENTS_SQL}::text) || '"'`,
      of: ({ updated_at: time, client_ids: links }) => `"${hash('md5', `${String(time)}${String(links)}`)}"`,
    },
  },
);

const partners = listOf({
  of: partner,
  newest: 'created_at',
  filters: {
    client_id: filterByAny(
      field.uuid,
      'exists (select from public.client_partners as l where l.partner_id = r.id and l.client_id = $)',
      'Return only partners linked to this client.',
    ),
    siret: filterByCondition(field.codeText(14), 'r.siret = $'),
    q: filterByText('r.name', 'r.contact_email', 'r.address'),
  },
});

function insertLinks(id: string, clients: readonly string[]): Statement {
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

/** The removal and the addition see the same links, so the caller sees the partner during both. */
function replaceLinks(id: string, clients: readonly string[]): Statement {
  const { text, values } = insertLinks(id, clients);
  return {
    text: `
with added as (${text}
    returning partner_id
), removed as (
    delete from public.client_partners where partner_id = $1 and client_id <> all ($2::uuid[])
    returning partner_id
)
update public.partners as r
set updated_at = clock_timestamp()
where r.id = $1 and exists (select from added union all select from removed)`,
    values,
  };
}

/**
 * Refuses a partner without clients, because a caller sees only partners that are linked to the caller's clients.
 * @throws RequestError ERROR_VALIDATION without a link
 */
function requireLink(clients: readonly string[], { role, clientAccess }: Caller): void {
  if (clients.length > 0 || (role === 'ADMIN' && clientAccess.length === 0)) return;
  throw validationError('client_ids', rule('required.own_client'));
}

const { commonOptions, list, read, changes } = endpointsOf(partner, { tag: 'Partners', path: '/api/partners' });

const writeOptions = { ...commonOptions, references: { client_ids: 'clients' } } as const;

export const partnerEndpoints = [
  list(partners, {
    summary: 'List the partners of the caller’s clients',
    roles: SPECIALIST_ROLES,
    // A filter by client does not limit the request's rights to that client, because the response shows each partner
    // with every link that the caller may see.
    clients: ({ query }) => query.client_id ?? [],
  }),
  endpoint({
    ...writeOptions,
    method: 'post',
    path: '/api/partners',
    summary: 'Create a partner and link it to clients',
    roles: MANAGER_ROLES,
    body: partner.newBody,
    responses: { 201: partner },
    clients: ({ body }) => body.client_ids ?? [],
    handle: async ({ body }, request) => {
      const links = body.client_ids ?? [];
      requireLink(links, request.caller);
      const id = randomUUID();
      // The insert has no `returning`, because the caller cannot see a partner before it has links.
      const insertion = {
        text: `
insert into public.partners as r (${partner.inserted})
select ${partner.insertedValues}
from ${partner.bodyAsRow('$1')}`,
        values: [JSON.stringify({ ...body, id })],
      };
      const make = [insertion, insertLinks(id, links), partner.byId(id)] as const;
      return createRecord(request, { of: partner, id, location: `/api/partners/${id}`, make });
    },
  }),
  read({ summary: 'Get a partner', roles: SPECIALIST_ROLES }),
  changes(SPECIALIST_ROLES),
  endpoint({
    ...writeOptions,
    method: 'put',
    path: '/api/partners/{id}',
    comparesIfMatch: true,
    summary: 'Update the given fields of a partner; client_ids replaces the links that the caller may see',
    roles: MANAGER_ROLES,
    body: partner.changeBody,
    responses: { 200: partner },
    clients: ({ body }) => body.client_ids ?? [],
    handle: async ({ params, body }, request) => {
      const { client_ids: links } = body;
      if (links !== undefined) requireLink(links, request.caller);
      // If the update changes no row, the handler throws, which rolls the transaction back.
      return request.transaction(async (run) => {
        const { rowCount } = await run({
          text: `
update public.partners as r
set ${partner.setClause('$2')}
from ${partner.bodyAsRow('$2')}
where r.id = $1
    and ${partner.isVersion('$3')}`,
          values: [params.id, JSON.stringify(body), partner.versions(request.ifMatch)],
        });
        if (rowCount === 0) throw new RecordNotFound();
        if (links === undefined) return replyWithRecord(partner, await run(partner.byId(params.id)));
        return replyWithRecord(partner, await run(replaceLinks(params.id, links), partner.byId(params.id)));
      });
    },
  }),
  // A deletion locks the partner first, so that nobody adds a link meanwhile. If the partner has bills, or links that
  // the caller does not see, the deletion fails with a conflict.
  endpoint({
    ...commonOptions,
    method: 'delete',
    path: '/api/partners/{id}',
    summary: 'Delete a partner; 409 if it has bills, or links to clients that the caller may not see',
    roles: ['ADMIN'],
    heldBy: ({ params }) => ({
      partner_invoices: {
        key: 'in_use.bills',
        count: {
          text: 'select count(*) from public.partner_invoices as r where r.partner_id = $1',
          values: [params.id],
        },
      },
    }),
    remove: ({ params }, ifMatch) => [
      { text: 'select from public.partners as r where r.id = $1 for update', values: [params.id] },
      {
        text: `
with gone as (
    delete from public.partners as r
    where r.id = $1 and ${partner.isVersion('$2')}
    returning r.id
),
unlinked as (
    delete from public.client_partners as l
    using gone
    where l.partner_id = gone.id
)
select gone.id
from gone`,
        values: [params.id, partner.versions(ifMatch)],
      },
    ],
  }),
];
