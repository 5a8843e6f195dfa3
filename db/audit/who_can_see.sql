-- audit.who_can_see reports an unknown client id, because a mistyped id must not look like a client that nobody sees.
-- audit.who_can_see takes the rights of users from their role and client list in public.users.
create function audit.who_can_see(client uuid)
    returns table (kind text, name text, as_role text, reason text)
    language sql stable
    set jit = off
    set search_path = ''
begin atomic
    select 'client', client::text, null::text, 'unknown: there is no client of this id'
    from audit.as_admin('public.clients'::regclass, 'SELECT', client, null, null) as a
    where a.touched = 0
    union all
    select 'user', u.email, audit.request_role(u.role, u.has_clients)::text, u.reason
    from app.users_who_see(client) as u
    union all
    select
        'reporting login',
        g.login::text,
        'taxclaims_reporting',
        pg_catalog.format('granted by %s on %s', g.granted_by, g.granted_at::date)
            || case
                when not exists (select from audit.logins as l where l.oid = g.login_oid and l.name = g.login and 'taxclaims_reporting' = any (l.groups))
                    then '; no such login, or another of that name, in taxclaims_reporting now'
                else ''
            end
    from reporting.grants as g
    where g.client_id = client
    union all
    select
        'reporting login',
        l.name::text,
        'taxclaims_reporting_all',
        'has all clients: reporting.grant_all_clients'
    from audit.logins as l
    where l.has_all_clients and 'taxclaims_reporting' = any (l.groups)
    union all
    select
        'database role',
        m.role::text,
        m.role::text,
        case
            when m.using_expressions = 'true' then 'sees every client: '
            when m.role = 'taxclaims_reporting' then 'where it was granted to the login: '
            when m.role = 'taxclaims_owner' then 'nothing: '
            else 'where app.client_access lists the client: '
        end || m.policies
    from audit.matrix as m
    where m.object = 'public.clients' and m.command = 'SELECT' and m.granted and m.policies is not null
    union all
    select
        'database login',
        r.rolname::text,
        why.as_role,
        why.reason
    from pg_catalog.pg_roles as r
    cross join lateral (
        values
            (r.rolsuper, 'superuser', 'no policy holds a superuser'),
            (
                not r.rolsuper and exists (
                    select
                    from audit.house_roles as h
                    where h.name = 'taxclaims_owner' and pg_catalog.pg_has_role(r.oid, h.oid, 'MEMBER')
                ),
                'taxclaims_owner',
                'can become the owner, who can change every policy'
            ),
            (
                not r.rolsuper and exists (
                    select
                    from audit.logins as l
                    where l.oid = r.oid and 'taxclaims_api' = any (l.groups)
                ),
                'taxclaims_api',
                'an API: becomes any request role, for any client that it says'
            )
    ) as why (holds, as_role, reason)
    where why.holds and r.rolcanlogin
    union all
    select 'database login', w.login::text, w.way, w.reason
    from audit.login_ways as w
    order by 1, 2, 3;
end;

comment on function audit.who_can_see(uuid) is
    'Users, reporting logins, roles and database logins that can see rows of a client, with reasons. The column '
    '`as_role` is the database role, or the audit finding that explains how a login bypasses the policies.';
