-- Rows that were stored with an unknown code accept other changes: the triggers check only a new or changed code.
-- app.check_commune runs after the write, so that row-level security can refuse a forbidden write before it.
create or replace function app.check_commune()
    returns trigger
    language plpgsql stable set search_path = ''
as $function$
declare
    postal_of text[];
begin
    perform from public.communes as c where c.code = new.commune_code;
    if found then
        return null;
    end if;
    postal_of := array(
        select pg_catalog.format('%s (%s)', c.code, c.name)
        from public.communes as c
        where new.commune_code = any (c.postal_codes)
        order by c.current_code nulls last, c.code
        limit 5
    );
    if postal_of <> '{}' then
        raise exception '% is a postal code, not the INSEE code of a commune', new.commune_code
            using
                errcode = 'TX400',
                detail = pg_catalog.jsonb_build_object(
                    'commune_code',
                    pg_catalog.format(
                        'must be an INSEE code: %s is the postal code of %s',
                        new.commune_code, pg_catalog.array_to_string(postal_of, ', ')
                    )
                ),
                hint = pg_catalog.jsonb_build_array(
                    'not_a_commune_code.postal',
                    pg_catalog.jsonb_build_object('code', new.commune_code, 'values', postal_of)
                );
    end if;
    raise exception '% is the INSEE code of no commune', new.commune_code
        using
            errcode = 'TX400',
            detail = pg_catalog.jsonb_build_object(
                'commune_code',
                pg_catalog.format(
                    'must be the INSEE code of a commune, and none has had %s since 1976 (the notice prints '
                    'department and commune apart: 69 and 290 are 69290)',
                    new.commune_code
                )
            ),
            hint = pg_catalog.jsonb_build_array(
                'not_a_commune_code.unknown', pg_catalog.jsonb_build_object('code', new.commune_code)
            );
end
$function$;

comment on function app.check_commune() is
    'Trigger of reclamations and cadastres that refuses (TX400) a code that is in no row of communes, and says of which '
    'communes it is the postal code.';

create or replace trigger reclamations_check_first_commune
    after insert on public.reclamations
    for each row
    when (new.commune_code is not null)
    execute function app.check_commune();

create or replace trigger reclamations_check_commune
    after update of commune_code on public.reclamations
    for each row
    when (new.commune_code is not null and new.commune_code is distinct from old.commune_code)
    execute function app.check_commune();

create or replace trigger cadastres_check_first_commune
    after insert on public.cadastres
    for each row
    execute function app.check_commune();

create or replace trigger cadastres_check_commune
    after update of commune_code on public.cadastres
    for each row
    when (new.commune_code <> old.commune_code)
    execute function app.check_commune();
