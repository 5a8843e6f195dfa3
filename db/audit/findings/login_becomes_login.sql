create view audit.finding_login_becomes_login with (security_invoker) as
select
    'error' as level,
    m.login as object,
    'can become the login ' || m.other as detail,
    m.remedy
from audit.login_members as m;

comment on view audit.finding_login_becomes_login is
    'Somebody does under one login what another may, and reads its clients. Comes of grant of a login to a login; since '
    'Postgres 16 also of a role that made the login, by CREATEROLE. Mend: revoke it.';
