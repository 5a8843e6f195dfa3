create view audit.finding_impossible_row with (security_invoker) as
select
    -- The view only warns of values that cannot reveal rows hidden by policies: those of users, values of claims, parcels
    -- and invoices that a previous release could write, and times that a clock in the future wrote.
    case
        when f.object ~ '^(public\.(users|factures|(users|factures|reclamations|reclamation_history|cadastres)\..+)|times of .+)$' and f.object <> 'public.users.erased_at'
            then 'warning'
        else 'error'
    end as level,
    f.object,
    pg_catalog.format('%s: %s', f.detail, f.rows) as detail,
    case
        when f.object like 'public.reclamations.%' then 'find the claims, and enter the field through the API'
        when f.object = 'public.factures.number' then 'find the missing numbers in a backup, and tell the accountant: never number another invoice'
        else 'find the rows and who wrote them, then correct them with triggers and foreign keys enabled'
    end as remedy
from app.impossible_rows() as f
where f.rows > 0
    -- A user's list of clients may contain a deleted client, and npm run audit:archive may have removed the audit
    -- record of the deletion.
    and not (f.object = 'public.users' and exists (select from audit.archives as a where a.removed_at is not null))
union all
select
    'error',
    'reporting.grants',
    pg_catalog.format('the audit log has no record of the grant of client %s to %s', g.client_id, g.login),
    pg_catalog.format('select reporting.revoke_client(%L, %L);', g.login, g.client_id)
from reporting.grants as g
where not app.is_grant_recorded(g.login, g.client_id)
    -- The audit record of a grant may be in a month that npm run audit:archive removed.
    and not exists (
        select
        from audit.archives as a
        where a.removed_at is not null
            and a.month >= pg_catalog.date_trunc('month', g.granted_at at time zone 'UTC')::date
    );

comment on view audit.finding_impossible_row is
    'A row exists that no request can write, such as a claim on another client''s site, a user whose role the audit log '
    'does not have, or a grant without a record. The object names the foreign key, the trigger or the column that the '
    'row breaks. Cause: disabled triggers or foreign keys, session_replication_role = replica, or a claim from before '
    'its check. Mend: correct the row, or revoke the grant.';
