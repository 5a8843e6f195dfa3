-- Makes each role a member of the role that it extends. app.list_login_refusal_reasons of the previous release reports
-- these memberships as an error, so the deploy creates them in the transaction that replaces
-- app.list_login_refusal_reasons.
do $nesting$
declare
    missing record;
begin
    for missing in
        select h.name, h.extends
        from pg_catalog.jsonb_to_recordset(pg_catalog.current_setting('deploy.house_roles')::jsonb) as h (name name, extends name)
        where h.extends is not null
            and not exists (
                select
                from pg_catalog.pg_auth_members as m
                where m.roleid = h.extends::text::regrole and m.member = h.name::text::regrole
            )
    loop
        execute pg_catalog.format(
            'grant %I to %I%s',
            missing.extends,
            missing.name,
            case
                when pg_catalog.current_setting('server_version_num')::integer >= 160000 then ' with inherit true, set false'
            end
        );
    end loop;
end
$nesting$;
