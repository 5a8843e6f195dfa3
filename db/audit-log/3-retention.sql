-- A deploy runs this file as taxclaims_housekeeper. Audit records change only if a user is erased.

-- The policy audit_logs_update_housekeeper lets app.redact_user change only email and name in audit records about
-- users. The trigger function app.refuse_change refuses all changes of audit records except those by app.redact_user.
create or replace function app.redact_user(id uuid)
    returns void
    language plpgsql volatile security definer set search_path = ''
as $function$
begin
    update public.audit_logs as a
    set changed = a.changed || (
        select pg_catalog.jsonb_object_agg(k.name, '[null, null]'::jsonb)
        from pg_catalog.unnest('{email,name}'::text[]) as k (name)
        where a.changed ? k.name
    )
    where a.resource_id = redact_user.id and a.resource_type = 'users' and a.changed ?| '{email,name}';
end
$function$;

comment on function app.redact_user(uuid) is
    'Removes the former and present names and emails of a user from the audit log. The audit records still show that '
    'the name or email changed. For app.forget_person.';
grant execute on function app.redact_user(uuid) to taxclaims_definer;

create or replace function app.audit_log_over(months integer)
    returns double precision
    language plpgsql stable security definer set search_path = ''
    set timezone = 'UTC'
as $function$
declare
    kept_from constant timestamp with time zone :=
        pg_catalog.date_trunc('month', pg_catalog.now()) - pg_catalog.make_interval(months => audit_log_over.months);
begin
    return coalesce(
        (
            select extract(epoch from kept_from - a.created_at)
            from public.audit_logs as a
            where a.created_at < kept_from
            order by a.created_at
            limit 1
        ),
        0
    );
end
$function$;

comment on function app.audit_log_over(integer) is
    'Returns by how many seconds the oldest audit record is too old if records are kept for the given number of whole '
    'months; 0 if none is too old.';
grant execute on function app.audit_log_over(integer) to taxclaims_api;
