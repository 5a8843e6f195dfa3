-- What columns of tables are checked by or made of: the migrations needed them first, and here is their present.

-- Of 'ROLE:id,id,…', ids in order, each once.
create or replace function app.access_digest(role text, client_access uuid[])
    returns text
    language sql immutable parallel safe set search_path = ''
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

-- La Poste (356000000) numbers its establishments so, but for its seat.
create or replace function app.is_siret(siret text)
    returns boolean
    language sql immutable parallel safe set search_path = ''
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

-- Spaces of any width are spaces, and the typographic apostrophe is the plain one. The marks are taken away before the
-- case, since a server may know the case of plain letters alone.
create or replace function app.searchable(text text)
    returns text
    language plpgsql immutable strict parallel safe set search_path = ''
as $function$
begin
    if pg_catalog.octet_length(text) = pg_catalog.length(text) then
        return pg_catalog.lower(text);
    end if;
    return pg_catalog.replace(
        pg_catalog.replace(
            pg_catalog.replace(
                pg_catalog.translate(
                    pg_catalog.lower(
                        pg_catalog.regexp_replace(pg_catalog.normalize(text, 'NFKD'), '[\u0300-\u036f]', '', 'g')
                    ),
                    'øłđØŁĐŒÆẞ’',
                    'oldoldœæß'''
                ),
                'œ',
                'oe'
            ),
            'æ',
            'ae'
        ),
        'ß',
        'ss'
    );
end
$function$;

comment on function app.searchable(text) is
    'A text as lists search it: without accents and case, ligatures as two letters. A search compares it with the same '
    'of what it looks for.';
