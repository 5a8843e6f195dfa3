/** Ways to write "the newest $1 that the caller may see, after $2 others", all under the same policies. */
export type Forms = Readonly<Record<string, string>>;

/** The lists that are measured, and how each is written for the client $3 that a request names. */
export interface List {
  readonly forms: Forms;
  readonly named: string;
}

const CLAIM = `r.id, r.client_id, r.site_id, r.claim_type, r.amount, r.status, r.tax_year, r.commune_code,
        r.notice_reference, r.collection_date, r.claim_deadline, r.submitted_at, r.response_due_at, r.decision_date,
        r.court_deadline, r.granted_amount, r.refund_amount, r.grounds, r.created_at, r.updated_at`;

const PARCEL = `k.id, k.site_id, k.commune_code, k.prefix, k.section, k.number, k.reference, k.area_m2, k.address,
        k.rental_value, k.reference_year, k.created_at, k.updated_at`;

const RECLAMATIONS: Forms = {
  plain: `
select to_json(r)::text
from (
    select ${CLAIM}
    from public.reclamations r
    order by r.created_at desc, r.id desc
    limit $1 offset $2
) r`,
  lateral: `
select to_json(r)::text
from (
    select ${CLAIM}
    from unnest((select app.client_access())) as c (id)
    cross join lateral (
        select *
        from public.reclamations r
        where r.client_id = c.id
        order by r.created_at desc, r.id desc
        limit $1::bigint + $2::bigint
    ) r
    order by r.created_at desc, r.id desc
    limit $1 offset $2
) r`,
  'lateral, ids first': `
select to_json(r)::text
from (
    select ${CLAIM}
    from (
        select newest.id
        from unnest((select app.client_access())) as c (id)
        cross join lateral (
            select r.id, r.created_at
            from public.reclamations r
            where r.client_id = c.id
            order by r.created_at desc, r.id desc
            limit $1::bigint + $2::bigint
        ) newest
        order by newest.created_at desc, newest.id desc
        limit $1 offset $2
    ) page
    join public.reclamations r on r.id = page.id
    order by r.created_at desc, r.id desc
) r`,
  hashed: `
select to_json(r)::text
from (
    select ${CLAIM}
    from public.reclamations r
    where r.client_id in (select unnest(app.client_access()))
    order by r.created_at desc, r.id desc
    limit $1 offset $2
) r`,
  floor: `
select to_json(r)::text
from (
    select ${CLAIM}
    from unnest((select app.client_access())) as c (id)
    cross join lateral (
        select *
        from public.reclamations r
        where r.client_id = c.id and r.created_at >= (select coalesce((
            select sample.created_at
            from unnest((select app.client_access())) as c (id)
            cross join lateral (
                select r.created_at
                from public.reclamations r
                where r.client_id = c.id
                order by r.created_at desc, r.id desc
                limit 1 + ($1::bigint + $2::bigint) / (select cardinality(app.client_access()))
            ) sample
            order by sample.created_at desc
            offset $1::bigint + $2::bigint - 1
            limit 1
        ), '-infinity'))
        order by r.created_at desc, r.id desc
        limit $1::bigint + $2::bigint
    ) r
    order by r.created_at desc, r.id desc
    limit $1 offset $2
) r`,
  sorted: `
select to_json(r)::text
from (
    select ${CLAIM}
    from unnest((select app.client_access())) as c (id)
    join public.reclamations r on r.client_id = c.id
    order by r.created_at desc, r.id desc
    limit $1 offset $2
) r`,
};

const CADASTRES: Forms = {
  plain: `
select to_json(k)::text
from (
    select ${PARCEL}
    from public.cadastres k
    order by k.created_at desc, k.id desc
    limit $1 offset $2
) k`,
  lateral: `
select to_json(k)::text
from (
    select ${PARCEL}
    from unnest((select app.client_access())) as c (id)
    join public.sites s on s.client_id = c.id
    cross join lateral (
        select *
        from public.cadastres k
        where k.site_id = s.id
        order by k.created_at desc, k.id desc
        limit $1::bigint + $2::bigint
    ) k
    order by k.created_at desc, k.id desc
    limit $1 offset $2
) k`,
  hashed: `
select to_json(k)::text
from (
    select ${PARCEL}
    from public.cadastres k
    where k.site_id in (
        select s.id
        from public.sites s
        where s.client_id in (select unnest(app.client_access()))
    )
    order by k.created_at desc, k.id desc
    limit $1 offset $2
) k`,
  'lateral, ids first': `
select to_json(k)::text
from (
    select ${PARCEL}
    from (
        select newest.id
        from unnest((select app.client_access())) as c (id)
        cross join lateral (
            select k.id, k.created_at
            from public.sites s
            join public.cadastres k on k.site_id = s.id
            where s.client_id = c.id
            order by k.created_at desc, k.id desc
            limit $1::bigint + $2::bigint
        ) newest
        order by newest.created_at desc, newest.id desc
        limit $1 offset $2
    ) page
    join public.cadastres k on k.id = page.id
    order by k.created_at desc, k.id desc
) k`,
  sorted: `
select to_json(k)::text
from (
    select ${PARCEL}
    from unnest((select app.client_access())) as c (id)
    join public.sites s on s.client_id = c.id
    join public.cadastres k on k.site_id = s.id
    order by k.created_at desc, k.id desc
    limit $1 offset $2
) k`,
};

export const LISTS: Readonly<Record<string, List>> = {
  reclamations: {
    forms: RECLAMATIONS,
    named: `
select to_json(r)::text
from (
    select ${CLAIM}
    from public.reclamations r
    where r.client_id = $3
    order by r.created_at desc, r.id desc
    limit $1 offset $2
) r`,
  },
  cadastres: {
    forms: CADASTRES,
    named: `
select to_json(k)::text
from (
    select ${PARCEL}
    from public.sites s
    join public.cadastres k on k.site_id = s.id
    where s.client_id = $3
    order by k.created_at desc, k.id desc
    limit $1 offset $2
) k`,
  },
};
