create view audit.finding_login_becomes_login with (security_invoker) as
select
    'error' as level,
    m.login as object,
    'can become the login ' || m.other as detail,
    m.remedy
from audit.login_members as m;

comment on view audit.finding_login_becomes_login is
    'One login can act as another login and read its clients. Cause: a grant of one login to another; since Postgres '
    '16 also CREATEROLE. Mend: revoke the membership.';
