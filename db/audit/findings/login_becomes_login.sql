create view audit.finding_login_becomes_login with (security_invoker) as
select
    'error' as level,
    m.login as object,
    'can become the login ' || m.other as detail,
    m.remedy,
    case
        when audit.is_surrounding_role(m.login_oid) or not audit.may_act_as(m.grantor_oid)
            then pg_catalog.format('who has the password of %s can act as %s: let nobody but the provider have it', m.login, m.other)
    end as provider
from audit.logins_that_can_become_logins as m;

comment on view audit.finding_login_becomes_login is
    'One login can act as another login and read the clients granted to that other login. Cause: a grant of one login '
    'to another; since Postgres 16 also CREATEROLE. Mend: revoke the membership.';
