-- What columns of tables are checked by or made of: the migrations needed them first, and here is their present.

-- Equal digests mean equal rights: the role and the set of clients, in one comparison.
-- The API computes the same text from a token: md5 of 'ROLE:id,id,…', ids in order, each once.
create or replace function app.access_digest(role text, client_access uuid[])
    returns text
    language sql
    immutable
    parallel safe
    set search_path = ''
return pg_catalog.md5(
    role || ':' || coalesce(
        (
            select pg_catalog.string_agg(c.id::text, ',' order by c.id)
            from (select distinct pg_catalog.unnest(client_access) as id) as c
        ),
        ''
    )
);

comment on function app.access_digest(text, uuid[]) is
    'MD5 of a role and a set of clients: equal rights, equal texts. The API works out the same from a token.';

-- Fourteen digits whose Luhn sum is a multiple of ten; the establishments of La Poste (356000000)
-- other than its seat are numbered so that the plain sum is a multiple of five.
create or replace function app.is_siret(siret text)
    returns boolean
    language sql
    immutable
    parallel safe
    set search_path = ''
return siret ~ '^[0-9]{14}$' and (
    select
        pg_catalog.sum(
            case
                when d.place % 2 = 0 then d.digit
                when d.digit > 4 then d.digit * 2 - 9
                else d.digit * 2
            end
        ) % 10 = 0
        or (siret like '356000000%' and pg_catalog.sum(d.digit) % 5 = 0)
    from (
        select i as place, pg_catalog.substr(siret, i, 1)::integer as digit
        from pg_catalog.generate_series(1, 14) as n (i)
        where siret ~ '^[0-9]{14}$'
    ) as d
);

comment on function app.is_siret(text) is
    'Whether a text is a SIRET: 14 digits whose Luhn sum is a multiple of ten, or the plain sum of five for La Poste.';
