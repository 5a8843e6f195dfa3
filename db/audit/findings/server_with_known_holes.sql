create view audit.finding_server_with_known_holes with (security_invoker) as
select
    'error' as level,
    'server ' || pg_catalog.current_setting('server_version') as object,
    'older than the fix of ' || pg_catalog.string_agg(f.hole, ', ' order by f.hole) as detail,
    'update to the newest minor release' as remedy,
    case
        when not audit.may_act_as(10)
            then 'the policies of this release have a known hole: choose the newest minor release on the provider''s page, and until then give nobody a BI login'
    end as provider
from audit.server_fixes as f
where pg_catalog.current_setting('server_version_num')::integer / 10000 = f.fixed_in / 10000
    and pg_catalog.current_setting('server_version_num')::integer < f.fixed_in
having pg_catalog.count(*) > 0;

comment on view audit.finding_server_with_known_holes is
    'The server has a published vulnerability in row-level security. Cause: a missing minor release. Mend: install '
    'the newest minor release; no dump is needed.';
