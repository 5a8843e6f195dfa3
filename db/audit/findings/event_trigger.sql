create view audit.finding_event_trigger with (security_invoker) as
select
    'error' as level,
    t.evtname as object,
    pg_catalog.format('runs %s with the rights of the role that causes the event %s', t.evtfoid::regprocedure, t.evtevent) as detail,
    pg_catalog.format('drop event trigger %I;', t.evtname) as remedy
from pg_catalog.pg_event_trigger as t;

comment on view audit.finding_event_trigger is
    'The function of an event trigger runs with the rights of every role that changes the schema or logs in. Cause: '
    'create event trigger, or an extension. Mend: drop the event trigger, or accept the finding with the reason.';
