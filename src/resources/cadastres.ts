import { z } from 'zod';
import * as field from '../http/fields.ts';
import { MANAGER_ROLES, ROLES, SPECIALIST_ROLES } from '../identity/caller.ts';
import { rule, type ProblemRule } from '../problems.ts';
import * as column from '../records/column.ts';
import { endpointsOf } from '../records/endpoints.ts';
import { filterByAny, filterByCommune, filterBySearchText } from '../records/filters.ts';
import { list as listOf } from '../records/list.ts';
import { record } from '../records/record.ts';
import { site } from './sites.ts';

const MAX_AREA = '9999999999.99';

/** Reads a part of a parcel's reference as people write it, and returns it as a tax notice prints it: A is 0A, 42 is 0042. */
function parcelCodeSchema(form: RegExp, length: number, broken: ProblemRule): z.ZodType<string> {
  return field
    .code(broken)
    .regex(form, broken)
    .overwrite((code) => code.toUpperCase().padStart(length, '0'));
}

// A parcel cannot be moved to another site, because that site could belong to another client.
const cadastre = record(
  'Cadastre',
  'cadastres',
  {
    id: column.id,
    site_id: column.reference('site', site.label, column.fixedParentId),
    commune_code: column.writable(column.text(5), field.communeCode),
    prefix: column.withDefault(
      column.text(3),
      parcelCodeSchema(/^[0-9]{1,3}$/, 3, rule('not_a_parcel_code.prefix')),
      `'000'`,
    ),
    section: column.writable(
      column.text(2),
      parcelCodeSchema(/^[0-9A-Za-z]{1,2}$/, 2, rule('not_a_parcel_code.section')),
    ),
    number: column.writable(column.text(4), parcelCodeSchema(/^[0-9]{1,4}$/, 4, rule('not_a_parcel_code.number'))),
    reference: column.readOnly(column.text(14)),
    area_m2: column.optional(column.integer, field.integer(0, 2_147_483_647)),
    address: column.optional(column.text(), field.longText),
    rental_value: column.optional(column.decimal, field.decimal(MAX_AREA)),
    reference_year: column.optional(column.integer, field.integer(1900, 2200)),
    ...column.timestampColumns,
  },
  {
    examples: {
      record: {
        id: 'ca000000-0000-4000-8000-000000000001',
        site_id: site.exampleId,
        commune_code: '69290',
        prefix: '000',
        section: 'BX',
        number: '0142',
        reference: '69290000BX0142',
        area_m2: 18450,
        address: '4 rue du Lyonnais',
        rental_value: 412300,
        reference_year: 2025,
      },
      creation: { site_id: site.exampleId, commune_code: '69290', section: 'BX', number: '0144', area_m2: 1250 },
      change: { rental_value: 398000, reference_year: 2026 },
    },
  },
);

const cadastres = listOf({
  of: cadastre,
  throughParent: 'r.site_id = any (array(select s.id from public.sites as s))',
  newest: 'created_at',
  filters: {
    client_id: filterByAny(
      field.uuid,
      'r.site_id = any (array(select s.id from public.sites as s where s.client_id = $))',
      'Return only parcels of this client’s sites.',
    ),
    commune_code: filterByCommune({ orNone: false }),
    q: filterBySearchText('reference', 'address'),
  },
  selective: ['site_id'],
});

const { list, read, changes, create, change, remove } = endpointsOf(cadastre, {
  tag: 'Cadastres',
  path: '/api/cadastres',
  constraints: { cadastres_site_id_reference_key: { number: rule('taken.parcel') } },
});

export const cadastreEndpoints = [
  list(cadastres, { summary: 'List the parcels of the sites of the caller’s clients', roles: ROLES }),
  create({
    summary: 'Create a parcel of a site',
    roles: SPECIALIST_ROLES,
    existing: ({ body }) => ({
      cadastres_site_id_reference_key: {
        text: `
select r.id
from public.cadastres as r
join ${cadastre.bodyAsRow('$1')} on n.site_id = r.site_id
where (r.commune_code, r.prefix, r.section, r.number) = (n.commune_code, coalesce(n.prefix, '000'), n.section, n.number)`,
        values: [JSON.stringify(body)],
      },
    }),
  }),
  read({ summary: 'Get a parcel', roles: ROLES }),
  changes(SPECIALIST_ROLES),
  change({ summary: 'Update the given fields of a parcel', roles: SPECIALIST_ROLES }),
  remove({ summary: 'Delete a parcel', roles: MANAGER_ROLES }),
];
