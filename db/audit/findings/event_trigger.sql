create view audit.finding_event_trigger with (security_invoker) as
select
    'error' as level,
    t.evtname as object,
    pg_catalog.format('runs %s with the rights of the role that causes the event %s', t.evtfoid::regprocedure, t.evtevent) as detail,
    pg_catalog.format('drop event trigger %I;', t.evtname) as remedy,
    case
        when not audit.may_act_as(t.evtowner)
            or exists (select from audit.menders())
            and exists (select from audit.applied as a where a.kind = 'event trigger' and a.object = pg_catalog.quote_ident(t.evtname))
            then 'the provider''s function sees each change of the schema, and no row: deploy as a login that owns nothing else'
    end as provider
from pg_catalog.pg_event_trigger as t;

comment on view audit.finding_event_trigger is
    'The function of an event trigger runs with the rights of every role that changes the schema or logs in. Cause: '
    'create event trigger, or an extension. Mend: drop the event trigger, or accept the finding with the reason.';
