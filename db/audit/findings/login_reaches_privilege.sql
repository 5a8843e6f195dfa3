-- audit.finding_login_reaches_privilege leaves out superusers, because audit.superusers lists them.
create view audit.finding_login_reaches_privilege with (security_invoker) as
select
    'error' as level,
    l.login as object,
    pg_catalog.string_agg(
        case
            when l.by_oid is null then 'has '
            when l.powers = array[l.by_role::text] then 'is a member of '
            else pg_catalog.format('is a member of %s, and so has ', l.by_role)
        end || pg_catalog.array_to_string(l.powers, ', '),
        '; '
        order by l.by_role nulls first
    )
    -- The detail names CONNECT, because the audit finding rights_outside_house leaves these logins out.
    || case
        when exists (
            select
            from audit.rights as r
            where r.kind = 'database' and r.privilege = 'CONNECT' and r.grantee_oid = l.login_oid
        ) then '; has CONNECT on this database'
        else ''
    end as detail,
    pg_catalog.string_agg(
        case
            when l.by_oid is null then (
                select pg_catalog.format('alter role %I %s;', l.login, pg_catalog.string_agg('no' || pg_catalog.lower(p.power), ' '))
                from pg_catalog.unnest(l.powers) as p (power)
            )
            else (
                select pg_catalog.string_agg('revoke ' || m.revoked || ';', ' ')
                from audit.memberships as m
                where m.member_oid = l.login_oid and m.role_oid = l.by_oid
            )
        end,
        ' '
        order by l.by_role nulls first
    ) as remedy,
    case
        when pg_catalog.bool_and(
            case
                when l.by_oid is null then
                    audit.is_surrounding('role', l.login)
                    or not exists (select from pg_catalog.unnest(l.powers) as p (power) where audit.may_take_attribute(l.login_oid, p.power))
                else
                    audit.is_surrounding_role(l.by_oid)
                    and audit.is_surrounding('membership', pg_catalog.format('%s in %s', l.login, l.by_role))
                    or not exists (
                        select
                        from audit.memberships as m
                        where m.member_oid = l.login_oid and m.role_oid = l.by_oid and audit.may_act_as(m.grantor_oid)
                    )
            end
        ) then 'no policy holds this login: let only the provider and those who deploy have its password, and give people '
            'and programs logins of their own'
    end as provider
from audit.login_powers as l
group by l.login_oid, l.login;

comment on view audit.finding_login_reaches_privilege is
    'A login can read every row, or files, sessions and statistics that show rows. Cause: a grant of a Postgres role '
    'for backups or monitoring. Mend: revoke the Postgres role, or accept the finding with the reason; for backups see '
    'db/README.md.';
