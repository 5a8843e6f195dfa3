create view audit.finding_event_trigger with (security_invoker) as
select
    'error' as level,
    t.evtname as object,
    -- With the digest, an accepted event trigger is reported again after its function has changed.
    pg_catalog.format(
        'runs %s with the rights of %s; definition %s',
        t.evtfoid::regprocedure,
        case when f.prosecdef then pg_catalog.pg_get_userbyid(f.proowner) || ' at the event ' else 'the role that causes the event ' end || t.evtevent,
        pg_catalog.md5(pg_catalog.concat(f.prosrc, pg_catalog.pg_get_function_sqlbody(f.oid)))
    ) as detail,
    pg_catalog.format('drop event trigger %I;', t.evtname) as remedy,
    case
        when not audit.may_act_as(t.evtowner)
            or exists (select from audit.menders())
            and exists (select from audit.applied as a where a.kind = 'event trigger' and a.object = pg_catalog.quote_ident(t.evtname))
            then 'the provider''s function sees each change of the schema, and no row: deploy as a login that owns nothing else'
    end as provider
from pg_catalog.pg_event_trigger as t
join pg_catalog.pg_proc as f on f.oid = t.evtfoid;

comment on view audit.finding_event_trigger is
    'The function of an event trigger runs at each change of the schema or each login, with the rights of the role that '
    'causes it, or of its owner if it is SECURITY DEFINER. Cause: create event trigger, or an extension. Mend: drop the '
    'event trigger, or accept the finding with the reason.';
