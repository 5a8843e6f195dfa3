-- Lists find a text without its accents and its case. The texts of the tables that grow long are kept as they are
-- searched: to work that out for each row of a search takes seconds for a million claims.

-- db/functions/columns.sql has its present, and what it is for.
create function app.searchable(text text)
    returns text
    language plpgsql
    immutable
    strict
    parallel safe
    set search_path = ''
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

-- Whoever writes works the columns out: at once, for the rights of a deploy come after its migrations.
grant execute on function app.searchable(text) to
    taxclaims_definer,
    taxclaims_admin,
    taxclaims_scoped_admin,
    taxclaims_account_manager,
    taxclaims_tax_specialist,
    taxclaims_client;

-- The unit separator (U+001F), which nobody types, stands between two texts: nothing is found across them.
alter table public.clients add column search_text text not null generated always as (
    app.searchable(company_name || pg_catalog.chr(31) || contact_email || pg_catalog.chr(31) || coalesce(address, ''))
) stored;
alter table public.sites add column search_text text not null generated always as (
    app.searchable(site_name || pg_catalog.chr(31) || coalesce(address, ''))
) stored;
alter table public.cadastres add column search_text text not null generated always as (
    app.searchable(commune_code || prefix || section || number || pg_catalog.chr(31) || coalesce(address, ''))
) stored;
alter table public.reclamations add column search_text text not null generated always as (
    app.searchable(
        coalesce(notice_reference, '')
        || pg_catalog.chr(31)
        || coalesce(commune_code, '')
        || pg_catalog.chr(31)
        || coalesce(grounds, '')
    )
) stored;
