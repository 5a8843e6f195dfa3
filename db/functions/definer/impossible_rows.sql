create or replace function app.impossible_rows()
    returns table (object text, detail text, rows bigint)
    language plpgsql stable security definer set search_path = ''
as $function$
begin
    return query
    select
        'public.reclamations',
        'claims on the site of another client, or on none',
        (
            select pg_catalog.count(*)
            from public.reclamations as r
            where not exists (select from public.sites as s where s.id = r.site_id and s.client_id = r.client_id)
        );
    return query
    select
        c.place,
        'rows with a commune_code that no commune has or had',
        c.unknown
    from (
        select
            'public.reclamations.commune_code',
            (
                select pg_catalog.count(*)
                from public.reclamations as r
                where r.commune_code is not null
                    and not exists (select from public.communes as c where c.code = r.commune_code)
            )
        union all
        select
            'public.cadastres.commune_code',
            (
                select pg_catalog.count(*)
                from public.cadastres as k
                where not exists (select from public.communes as c where c.code = k.commune_code)
            )
    ) as c (place, unknown);
    return query
    select
        'public.reclamations.notice_reference',
        'claims of the same site, type, year, commune and notice as another claim',
        (
            select pg_catalog.count(*)
            from (
                select pg_catalog.count(*) over (
                    partition by r.site_id, r.claim_type, r.tax_year, r.commune_code, app.notice_key(r.notice_reference)
                ) as alike
                from public.reclamations as r
                where r.tax_year is not null
                    and r.commune_code is not null
                    and app.notice_key(r.notice_reference) is not null
                    and r.status not in ('WITHDRAWN', 'CLOSED')
            ) as r
            where r.alike > 1
        );
    return query
    select
        'public.reclamations.granted_amount',
        'claims whose granted amount does not fit their status',
        (
            select pg_catalog.count(*)
            from public.reclamations as r
            where app.explain_granted_amount(r.status, r.amount, r.granted_amount) is not null
        );
    -- The previous release did not store which court judged a claim.
    return query
    select
        'public.reclamations.instance',
        'claims that a court judged, without the court',
        (
            select pg_catalog.count(*)
            from public.reclamations as r
            where r.instance is null
                and r.status in ('ACCEPTED', 'PARTIALLY_ACCEPTED', 'REJECTED')
                and (
                    select h.from_status = 'LITIGATION' and not h.is_correction
                    from public.reclamation_history as h
                    where h.reclamation_id = r.id
                    order by h.changed_at desc
                    limit 1
                )
        );
    return query
    select
        'public.factures',
        'cancelled invoices without credit notes of their whole amount, as releases before the credit notes made them',
        (
            select pg_catalog.count(*)
            from public.factures as f
            where f.status = 'CANCELLED' and f.amount_excl_tax <> (app.credited(f.id)).excl_tax
        );
    return query
    select
        'public.reclamations.decision_date',
        'claims from before the rules of their days, with days in the wrong order, after today or before 1990',
        (
            with today as materialized (
                select app.paris_today() as day
            )
            select pg_catalog.count(*)
            from (
                select
                    app.paris_day(c.submitted_at) as sent, c.received_on, c.decision_date, c.decision_received_on,
                    c.court_deadline, c.judgment_notified_on, c.tax_year, c.collection_date
                from public.reclamations as c
                offset 0
            ) as r
            cross join today as t
            where r.received_on < r.sent
                or r.decision_date < r.sent
                or r.decision_received_on < greatest(r.decision_date, r.sent)
                or r.court_deadline < greatest(r.decision_date, r.decision_received_on)
                or greatest(r.sent, r.received_on, r.decision_date, r.decision_received_on, r.judgment_notified_on) > t.day
                or least(r.collection_date, r.decision_date, r.sent) < date '1990-01-01'
                or r.tax_year not between 1990 and extract(year from t.day) + 1
        );
    return query
    select
        'app.client_documents',
        'documents whose copy with the client is missing, is another, or is of none',
        (
            select pg_catalog.count(*)
            from (
                select d.id, r.client_id, d.reclamation_id, d.filename, d.file_size, d.mime_type, d.uploaded_at, d.kind, d.updated_at
                from public.documents as d
                left join public.reclamations as r on r.id = d.reclamation_id
            ) as d
            full join app.client_documents as c on c.id = d.id
            where (d.id, d.client_id, d.reclamation_id, d.filename, d.file_size, d.mime_type, d.uploaded_at, d.kind, d.updated_at)
                is distinct from (c.id, c.client_id, c.reclamation_id, c.filename, c.file_size, c.mime_type, c.uploaded_at, c.kind, c.updated_at)
        );
    return query
    select
        'public.notes',
        'open tasks of a user who does not see them',
        (
            select pg_catalog.count(*)
            from public.notes as n
            join public.users as u on u.id = n.assignee_id
            where n.done_at is null
                and (
                    (n.internal and u.role = 'CLIENT')
                    or not (n.client_id = any (u.client_access) or (u.role = 'ADMIN' and u.client_access = '{}'))
                )
                and (n.assignee_id, n.client_id) not in (select l.user_id, l.client_id from app.lost_clients as l)
        );
    return query
    select
        'public.users.erased_at',
        'rows that still have the subject of an erased user, beside the audit log and the answers of the last day',
        (
            with erased as materialized (
                select u.id, u.subject from public.users as u where u.erased_at is not null
            )
            select
                (
                    select pg_catalog.count(*)
                    from public.reclamation_history as h
                    join erased as e on e.id = h.changed_by
                    where h.actor <> e.id::text
                )
                + (
                    select pg_catalog.count(*)
                    from (
                        select c.subject from app.created_clients as c
                        union all
                        select l.subject from app.document_links as l
                        union all
                        select c.actor from public.identity_changes as c
                    ) as kept
                    join erased as e on e.subject = app.erased_subject(kept.subject)
                )
        );
    return query
    select
        'public.users.calendar_digest',
        'calendars of users without rights, whose addresses open nothing',
        (
            select pg_catalog.count(*)
            from public.users as u
            where u.calendar_digest is not null
                and (not u.is_active or (u.role <> 'ADMIN' and u.client_access = '{}'))
        );
    -- A user's list may contain a deleted client if the audit log has a record of the client's deletion.
    return query
    select
        'public.users',
        'users whose list names a client that is not there, and of which the audit log tells nothing',
        (
            select pg_catalog.count(*)
            from public.users as u
            where exists (
                select
                from pg_catalog.unnest(u.client_access) as listed (id)
                where not exists (select from public.clients as c where c.id = listed.id)
                    and not exists (
                        select
                        from public.audit_logs as a
                        where a.resource_id = listed.id and a.resource_type = 'clients' and a.success
                    )
            )
        );
end
$function$;

comment on function app.impossible_rows() is
    'Counts in each table the rows that no request can write. For audit.findings.';
grant execute on function app.impossible_rows() to taxclaims_auditor, taxclaims_owner;
