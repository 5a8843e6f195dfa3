-- People write the number of a notice with and without blanks and in both cases: 24 69 1234567 01 is 2469123456701.
create or replace function app.notice_key(notice_reference text)
    returns text
    language sql immutable parallel safe set search_path = ''
return nullif(pg_catalog.lower(pg_catalog.regexp_replace(notice_reference, '[\s\u00a0\u2007\u202f\ufeff]', '', 'g')), '');

comment on function app.notice_key(text) is
    'Returns the reference of a notice as claims are compared by it: in lower case and without blanks; null if blank.';
grant execute on function app.notice_key(text) to taxclaims_client, taxclaims_admin, taxclaims_definer;
