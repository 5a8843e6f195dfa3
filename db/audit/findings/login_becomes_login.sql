create view audit.finding_login_becomes_login with (security_invoker) as
select
    'error' as level,
    m.login as object,
    'can become the login ' || m.other as detail,
    m.remedy
from audit.logins_that_can_become_logins as m;

comment on view audit.finding_login_becomes_login is
    'One login can act as another login and read the clients granted to that other login. Cause: a grant of one login '
    'to another; since Postgres 16 also CREATEROLE. Mend: revoke the membership.';
