-- Postgres does not check foreign keys and fires no ordinary trigger while session_replication_role is replica, but it
-- checks unique keys and CHECK constraints. Each query reads its tables once; none reads all audit records.
create or replace function app.impossible_rows()
    returns table (object text, detail text, rows bigint)
    language plpgsql stable security definer set search_path = ''
as $function$
declare
    reference record;
    moment constant timestamp with time zone := pg_catalog.clock_timestamp();
begin
    -- The loop leaves out the keys whose rows taxclaims_definer may not read: those of app.password_attempts and
    -- reporting.grants, and those that somebody else has added.
    for reference in
        select
            pg_catalog.format('%s on %s', k.conname, k.conrelid::regclass) as name,
            pg_catalog.format('rows whose %s no row of %s has', key.names, k.confrelid::regclass) as what,
            pg_catalog.format(
                'select pg_catalog.count(*) from %s as c where %s and not exists (select from %s as p where %s)',
                k.conrelid::regclass, key.given, k.confrelid::regclass, key.same
            ) as query
        from pg_catalog.pg_constraint as k
        join pg_catalog.pg_namespace as n on n.oid = k.connamespace and n.nspname in ('public', 'app', 'reporting', 'audit')
        cross join lateral (
            select
                pg_catalog.string_agg(a.attname, ', ' order by pair.place) as names,
                pg_catalog.string_agg(pg_catalog.format('c.%I is not null', a.attname), ' and ') as given,
                pg_catalog.string_agg(pg_catalog.format('p.%I = c.%I', b.attname, a.attname), ' and ') as same,
                pg_catalog.bool_and(
                    pg_catalog.has_column_privilege(a.attrelid, a.attnum, 'SELECT')
                    and pg_catalog.has_column_privilege(b.attrelid, b.attnum, 'SELECT')
                ) as is_granted
            from rows from (pg_catalog.unnest(k.conkey), pg_catalog.unnest(k.confkey)) with ordinality as pair (child, parent, place)
            join pg_catalog.pg_attribute as a on a.attrelid = k.conrelid and a.attnum = pair.child
            join pg_catalog.pg_attribute as b on b.attrelid = k.confrelid and b.attnum = pair.parent
        ) as key
        where k.contype = 'f'
            and k.conparentid = 0
            and key.is_granted
            and (
                select pg_catalog.count(distinct p.polrelid)
                from pg_catalog.pg_policy as p
                where p.polrelid in (k.conrelid, k.confrelid)
                    and p.polcmd = 'r'
                    and current_user::regrole::oid = any (p.polroles)
                    and pg_catalog.pg_get_expr(p.polqual, p.polrelid) = 'true'
            ) = case k.confrelid when k.conrelid then 1 else 2 end
        order by 1
    loop
        object := reference.name;
        detail := reference.what;
        execute reference.query into rows;
        return next;
    end loop;
    for reference in
        select
            'times of ' || c.oid::regclass as name,
            pg_catalog.format(
                'select pg_catalog.count(*) from %s as c where %s',
                c.oid::regclass,
                pg_catalog.string_agg(pg_catalog.format('c.%I > %L', a.attname, moment), ' or ' order by a.attnum)
            ) as query
        from pg_catalog.pg_class as c
        join pg_catalog.pg_attribute as a on a.attrelid = c.oid and a.attname = any ('{created_at,updated_at,changed_at,uploaded_at}')
        where c.relnamespace = 'public'::regnamespace
            and c.relkind = 'r'
            and pg_catalog.has_column_privilege(c.oid, a.attnum, 'SELECT')
            and exists (
                select
                from pg_catalog.pg_policy as p
                where p.polrelid = c.oid
                    and p.polcmd = 'r'
                    and current_user::regrole::oid = any (p.polroles)
                    and pg_catalog.pg_get_expr(p.polqual, p.polrelid) = 'true'
            )
        group by c.oid
        order by 1
    loop
        object := reference.name;
        detail := 'rows that are dated after now';
        execute reference.query into rows;
        return next;
    end loop;
    -- Releases before migration 0012 dated all moves of one transaction alike.
    return query
    select
        'reclamations_apply_move on public.reclamations',
        'claims whose status is not that of their last move, or not DRAFT without a move',
        (
            select pg_catalog.count(*)
            from public.reclamations as r
            left join (
                select distinct on (h.reclamation_id) h.reclamation_id, h.to_status, h.changed_at
                from public.reclamation_history as h
                order by h.reclamation_id, h.changed_at desc, h.id desc
            ) as l on l.reclamation_id = r.id
            where r.status <> coalesce(l.to_status, 'DRAFT')
                and not exists (
                    select
                    from public.reclamation_history as h
                    where h.reclamation_id = r.id and h.changed_at = l.changed_at and h.to_status = r.status
                )
        );
    -- A step back undoes a move.
    return query
    select
        'public.reclamation_history.to_status',
        'moves that nobody may make; releases before migration 0056 could also withdraw a decided claim',
        (
            select pg_catalog.count(*)
            from public.reclamation_history as h
            where h.from_status <> h.to_status
                and (
                    case when h.is_correction then h.to_status else h.from_status end,
                    case when h.is_correction then h.from_status else h.to_status end
                ) not in (select t.from_status, t.to_status from public.reclamation_transitions as t)
        );
    return query
    select
        f.place,
        'rows with a status that no move of invoice_transitions leads to',
        f.rows
    from (
        select 'factures_check_move on public.factures', pg_catalog.count(*)
        from public.factures as f
        where f.status not in ('DRAFT', 'CANCELLED')
            and not exists (
                select from public.invoice_transitions as t where t.table_name = 'factures' and t.to_status = f.status
            )
        union all
        select 'partner_invoices_compute_amounts on public.partner_invoices', pg_catalog.count(*)
        from public.partner_invoices as b
        where b.status <> 'RECEIVED'
            and not exists (
                select from public.invoice_transitions as t where t.table_name = 'partner_invoices' and t.to_status = b.status
            )
    ) as f (place, rows);
    return query
    select
        'public.factures.number',
        'years whose invoice numbers have a gap or do not end with the last number of their counter',
        (
            select pg_catalog.count(*)
            from (
                select
                    pg_catalog.substr(i.number, 1, 4)::integer as year,
                    -- A firm that comes from another program may begin with another number than 1.
                    pg_catalog.min(pg_catalog.substr(i.number, 6)::bigint) as first_number,
                    pg_catalog.max(pg_catalog.substr(i.number, 6)::bigint) as last_number,
                    pg_catalog.count(*) as numbers
                from public.factures as i
                where i.number ~ '^[0-9]{4}-[0-9]+$'
                group by 1
            ) as f
            left join public.invoice_counters as c on c.year = f.year
            where f.last_number is distinct from c.last_number
                or f.numbers <> f.last_number - f.first_number + 1
        );
    return query
    select
        'public.factures.vat_rate',
        'drafts of invoices with a VAT rate that France does not have',
        (
            select pg_catalog.count(*)
            from public.factures as f
            where f.status = 'DRAFT' and f.vat_rate <> all (app.vat_rates())
        );
    return query
    select
        'reclamations_index_new_words on app.claim_words',
        'claims without the words by which a search finds them',
        (
            select pg_catalog.count(*)
            from public.reclamations as r
            where not exists (select from app.claim_words as w where w.id = r.id)
        );
    return query
    select
        'reclamations_check_assignee on public.reclamations',
        'claims of an assignee who does not see them',
        (
            select coalesce(pg_catalog.sum(r.rows), 0)::bigint
            from (
                select r.assignee_id, r.client_id, pg_catalog.count(*) as rows
                from public.reclamations as r
                where r.assignee_id is not null
                group by r.assignee_id, r.client_id
            ) as r
            join public.users as u on u.id = r.assignee_id
            where not (r.client_id = any (u.client_access) or (u.role = 'ADMIN' and u.client_access = '{}'))
                and not exists (
                    select from app.lost_clients as l where l.user_id = r.assignee_id and l.client_id = r.client_id
                )
        );
    return query
    select
        'documents_update_content_removals on app.content_removals',
        'contents that the service will remove although a document has them',
        (
            select pg_catalog.count(*)
            from app.content_removals as c
            where exists (select from public.documents as d where d.file_path = c.file_path)
        );
    return query
    select
        'users_keep_last_administrator on public.users',
        'inactive ADMINs of all clients, beside no active one',
        (
            select pg_catalog.count(*)
            from public.users as u
            where u.role = 'ADMIN'
                and u.client_access = '{}'
                and not exists (
                    select from public.users as o where o.role = 'ADMIN' and o.is_active and o.client_access = '{}'
                )
        );
    return query
    select
        'users_subject_key on public.users',
        'users whose subject is the id or the erased subject of another user',
        (
            select pg_catalog.count(*)
            from (
                select o.id, o.id::text as subject from public.users as o
                union all
                select o.id, app.erased_subject(o.subject) from public.users as o
            ) as o
            join public.users as u on u.subject = o.subject and u.id <> o.id
        );
    return query
    with told as materialized (
        select u.id, a.changed, a.kind, a.created_at
        from public.users as u
        join public.audit_logs as a on a.resource_id = u.id and a.resource_type = 'users' and a.success
        where a.changed is not null
    ),
    told_clients as materialized (
        select distinct on (t.id, c.client) t.id, c.client, c.is_added
        from told as t
        cross join lateral (
            select pg_catalog.jsonb_array_elements_text(t.changed -> 'client_access' -> 0)::uuid, false
            union all
            select pg_catalog.jsonb_array_elements_text(t.changed -> 'client_access' -> 1)::uuid, true
        ) as c (client, is_added)
        order by t.id, c.client, t.created_at desc
    )
    select
        'users_audit_write on public.users.' || f.column_name,
        f.what,
        f.rows
    from (
        select l.column_name, pg_catalog.format('users whose %s is not the last one in the audit log', l.column_name), pg_catalog.count(*)
        from (
            select distinct on (t.id, c.name) t.id, c.name as column_name, t.changed -> c.name ->> 1 as value
            from told as t
            cross join pg_catalog.unnest('{role,is_active}'::text[]) as c (name)
            where t.changed ? c.name
            order by t.id, c.name, t.created_at desc
        ) as l
        join public.users as u on u.id = l.id
        where l.value <> case l.column_name when 'role' then u.role else u.is_active::text end
        group by l.column_name
        union all
        select 'client_access', 'users whose list of clients is not that of the audit log', pg_catalog.count(distinct d.id)
        from (
            select coalesce(t.id, l.id) as id, t.is_added, l.id is not null as is_listed
            from told_clients as t
            full join (
                select u.id, c.client from public.users as u cross join lateral pg_catalog.unnest(u.client_access) as c (client)
            ) as l on l.id = t.id and l.client = t.client
        ) as d
        where case
            -- The audit log has the first list of a user only since this release.
            when d.is_added is null then d.id in (select t.id from told as t where t.kind = 'created')
            else d.is_added <> d.is_listed
        end
        union all
        select 'erased_at', 'erased users who are no longer erased', pg_catalog.count(distinct t.id)
        from told as t
        join public.users as u on u.id = t.id
        where u.erased_at is null and t.changed @> '{"email": [null, null]}'
        union all
        select 'id', 'users of whose creation the audit log has no record', pg_catalog.count(*)
        from public.users as u
        where u.created_at >= (select app.find_audit_log_start())
            and not exists (
                select
                from public.audit_logs as a
                where a.resource_id = u.id and a.resource_type = 'users' and a.success and coalesce(a.kind, 'created') = 'created'
            )
    ) as f (column_name, what, rows);
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
            select coalesce(pg_catalog.sum(r.alike), 0)::bigint
            from (
                select pg_catalog.count(*) as alike
                from (
                    select r.site_id, r.claim_type, r.tax_year, r.commune_code, app.notice_key(notice.reference) as notice_key
                    from (
                        select
                            r.site_id, r.claim_type, r.tax_year, r.commune_code,
                            pg_catalog.array_agg(r.notice_reference) as notice_references
                        from public.reclamations as r
                        where r.tax_year is not null
                            and r.commune_code is not null
                            and r.notice_reference is not null
                            and r.status not in ('WITHDRAWN', 'CLOSED')
                        group by r.site_id, r.claim_type, r.tax_year, r.commune_code
                        having pg_catalog.count(*) > 1
                    ) as r
                    cross join lateral pg_catalog.unnest(r.notice_references) as notice (reference)
                    offset 0
                ) as r
                where r.notice_key is not null
                group by r.site_id, r.claim_type, r.tax_year, r.commune_code, r.notice_key
                having pg_catalog.count(*) > 1
            ) as r
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
            join public.reclamation_history as h
                on h.reclamation_id = r.id and h.to_status = r.status and h.from_status = 'LITIGATION' and not h.is_correction
            where r.instance is null
                and r.status in ('ACCEPTED', 'PARTIALLY_ACCEPTED', 'REJECTED')
                and not exists (
                    select
                    from public.reclamation_history as later
                    where later.reclamation_id = h.reclamation_id and later.changed_at > h.changed_at
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
    -- Each query groups the claims by what their day follows from, so that a function is called once for all alike.
    -- Migration 0054 corrected the day of the answer only where the claim waits for it.
    return query
    select
        d.place,
        'claims whose day is not the one that their facts derive',
        coalesce(d.rows, 0)::bigint
    from (
        select 'public.reclamations.claim_deadline', pg_catalog.sum(r.rows)
        from (
            select c.collection_date, c.claim_deadline, pg_catalog.count(*) as rows
            from public.reclamations as c
            where c.deadline_basis is null
            group by c.collection_date, c.claim_deadline
        ) as r
        where r.claim_deadline is distinct from app.claim_deadline(r.collection_date)
        union all
        select 'public.reclamations.response_due_at', pg_catalog.sum(r.rows)
        from (
            select
                c.received_on,
                c.response_extended,
                (c.response_due_at at time zone 'Europe/Paris')::date as due_on,
                pg_catalog.min(c.submitted_at) as submitted_at,
                pg_catalog.count(*) as rows
            from public.reclamations as c
            where c.status in ('SUBMITTED', 'ACKNOWLEDGED', 'REGULARISATION_REQUESTED')
            group by c.received_on, c.response_extended, due_on, (c.submitted_at at time zone 'Europe/Paris')::date
        ) as r
        where r.due_on is distinct from app.response_due_day(r.received_on, r.submitted_at, r.response_extended)
    ) as d (place, rows);
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
    -- The foreign key client_documents_reclamation_of_client compares the client.
    return query
    select
        'app.client_documents',
        'documents whose copy with the client is missing, is another, or is of none',
        (
            select pg_catalog.count(*)
            from public.documents as d
            full join app.client_documents as c on c.id = d.id
            where (d.id, d.reclamation_id, d.filename, d.file_size, d.mime_type, d.uploaded_at, d.kind, d.updated_at)
                is distinct from (c.id, c.reclamation_id, c.filename, c.file_size, c.mime_type, c.uploaded_at, c.kind, c.updated_at)
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
    'Counts in each table the rows that break a rule, so that no request can have written them. For audit.findings.';
grant execute on function app.impossible_rows() to taxclaims_auditor, taxclaims_owner;
