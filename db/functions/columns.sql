-- Constraints and generated columns of tables call the functions of this file. Migrations created the first versions of
-- these functions; each deploy replaces them with the versions of this file.

-- app.access_digest hashes the text 'ROLE:id,id,…', in which the ids of clients are sorted and unique.
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
    'Returns the MD5 digest of a role and a set of clients, as the API computes it for a token.';

create or replace function app.is_siren(siren text)
    returns boolean
    language sql immutable parallel safe set search_path = ''
return siren ~ '^[0-9]{9}$' and siren <> '000000000' and (
    select
        pg_catalog.sum(
            case
                when d.place % 2 = 1 then d.digit
                when d.digit > 4 then d.digit * 2 - 9
                else d.digit * 2
            end
        ) % 10 = 0
    from (
        select i as place, pg_catalog.substr(siren, i, 1)::integer as digit
        from pg_catalog.generate_series(1, 9) as n (i)
        where siren ~ '^[0-9]{9}$'
    ) as d
);

comment on function app.is_siren(text) is
    'True for nine digits with a right check digit (Luhn), but not for nine zeros. For the constraint clients_siren_valid.';

-- CGI articles 278 to 281 nonies (20, 10, 5.5, 2.1), 297 (Corsica: 0.9, 2.1, 10, 13, 20) and 296 to 296 quater (overseas:
-- 8.5, 2.1, 1.75, 1.05); 0 where the operation bears no VAT.
create or replace function app.vat_rates()
    returns numeric[]
    language plpgsql immutable parallel safe set search_path = ''
as $function$
begin
    return '{20,13,10,8.5,5.5,2.1,1.75,1.05,0.9,0}'::numeric[];
end
$function$;

comment on function app.vat_rates() is
    'Returns the VAT rates in percent of mainland France, Corsica and the overseas departments. New invoices have one of them.';
grant execute on function app.vat_rates() to taxclaims_definer;

-- The SIRET of an establishment of La Poste (SIREN 356000000), other than the head office, has a sum of digits that is
-- divisible by 5, and need not have a valid Luhn sum.
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
    'True for a valid SIRET: 14 digits with a Luhn sum divisible by 10, or for La Poste a digit sum divisible by 5.';

-- app.searchable removes accents before it lowers the case, because some locales lower only letters without accents.
-- app.searchable also replaces wide spaces and typographic apostrophes with plain ones.
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
    'Returns a text as searches compare it: in lower case, without accents, ligatures as two letters. Searches apply '
    'app.searchable to the searched text and to the search term.';

create or replace function app.words(text text)
    returns tsvector
    language plpgsql immutable strict parallel safe set search_path = ''
as $function$
begin
    if pg_catalog.octet_length(text) > 2000 then
        text := pg_catalog.regexp_replace(
            text,
            '([^\u0001-\u002f\u003a-\u0060\u007b-\u00bf\u00d7\u00f7\u2000-\u2bff\u3000-\u3020\ufe00-\ufe0f\ufeff\U0001f000-\U0001faff]{200})[^\u0001-\u002f\u003a-\u0060\u007b-\u00bf\u00d7\u00f7\u2000-\u2bff\u3000-\u3020\ufe00-\ufe0f\ufeff\U0001f000-\U0001faff]+',
            '\1', 'g'
        );
    end if;
    return pg_catalog.array_to_tsvector(
        pg_catalog.array_remove(
            pg_catalog.regexp_split_to_array(text, '[\u0001-\u002f\u003a-\u0060\u007b-\u00bf\u00d7\u00f7\u2000-\u2bff\u3000-\u3020\ufe00-\ufe0f\ufeff\U0001f000-\U0001faff]+'), ''
        )
    );
end
$function$;

comment on function app.words(text) is
    'Splits a text that app.searchable returned into its words, which are runs of letters and digits.';
