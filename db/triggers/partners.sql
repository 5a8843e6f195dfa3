-- The constraint partners_siret_valid cannot refuse nine zeros: it would refuse every change of partners stored with them.
create or replace function app.refuse_siret_of_nobody()
    returns trigger
    language plpgsql volatile set search_path = ''
as $function$
begin
    raise exception 'the SIREN 000000000 belongs to no business'
        using
            errcode = 'TX409',
            detail = '{"siret": "must be the SIRET of a business: no SIREN is nine zeros, so leave the field out if it is unknown"}',
            hint = '["not_a_siret.nobody", {}]';
end
$function$;

comment on function app.refuse_siret_of_nobody() is
    'Trigger of partners that refuses (TX409) a new SIRET that begins with nine zeros, which have a valid Luhn sum.';

create or replace trigger partners_refuse_first_siret_of_nobody
    before insert on public.partners
    for each row
    when (new.siret like '000000000%')
    execute function app.refuse_siret_of_nobody();

create or replace trigger partners_refuse_siret_of_nobody
    before update of siret on public.partners
    for each row
    when (new.siret like '000000000%' and new.siret is distinct from old.siret)
    execute function app.refuse_siret_of_nobody();
