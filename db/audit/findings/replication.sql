create view audit.finding_replication with (security_invoker) as
select
    'warning' as level,
    'subscription ' || s.subname as object,
    'writes rows of another server into tables of this database, as ' || pg_catalog.pg_get_userbyid(s.subowner) as detail,
    pg_catalog.format('drop subscription %I;', s.subname) as remedy,
    case
        when not audit.may_act_as(s.subowner)
            then 'the provider writes rows into this database: ask which, and use a database without it'
    end as provider
from pg_catalog.pg_subscription as s
where s.subdbid = (select d.oid from pg_catalog.pg_database as d where d.datname = pg_catalog.current_database())
union all
select
    'warning',
    'replication slot ' || s.slot_name,
    'keeps every change of every table for the next reader of the slot',
    'find out who reads the slot, then audit.accept it; to drop the slot is to drop the changes that its reader has not read',
    null
from pg_catalog.pg_replication_slots as s
where s.database = pg_catalog.current_database();

comment on view audit.finding_replication is
    'Rows leave or enter the database by replication, which ignores policies. Cause: a subscription, or a logical '
    'replication slot. Mend: drop the subscription or slot, or accept the finding with the reason.';
