-- app.related_communes is what the filter commune_code of lists compares with: a notice of Paris may name the city or the
-- arrondissement, and one of a merged commune its old code or the new one.
create or replace function app.related_communes(codes text[])
    returns text[]
    language plpgsql stable set search_path = ''
as $function$
begin
    return array(
        select pg_catalog.unnest(related_communes.codes)
        union
        select c.code::text from public.communes as c where c.current_code = any (related_communes.codes)
        union
        select c.current_code::text
        from public.communes as c
        where c.code = any (related_communes.codes) and c.current_code is not null
    );
end
$function$;

comment on function app.related_communes(text[]) is
    'Returns the given codes of communes, those of their arrondissements and merged communes, and those of the communes '
    'to which they belong.';
grant execute on function app.related_communes(text[]) to taxclaims_client, taxclaims_admin;
