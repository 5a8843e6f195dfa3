-- Two claims of one site against the same notice are one claim entered twice. A claim that is WITHDRAWN or CLOSED does not
-- count, because a taxpayer may claim again until the claim deadline. Claims that were stored twice before this rule
-- stay: the triggers check a claim only if it is new, changes its notice or comes back to life.

-- Both triggers run after the write, so that row-level security can refuse a forbidden write before them. They lock the
-- sites, so that the later of two transactions sees the claims of the earlier one.
create or replace function app.refuse_repeated_claim(claim_id uuid, first_id uuid)
    returns void
    language plpgsql volatile set search_path = ''
as $function$
begin
    raise exception 'the claim % is already of the same notice as the claim %', first_id, claim_id
        using
            errcode = 'TX409',
            detail = pg_catalog.jsonb_build_object(
                'notice_reference',
                pg_catalog.format(
                    'is that of the claim %s, with the same site, claim_type, tax_year and commune_code: change that one',
                    first_id
                )
            ),
            hint = pg_catalog.jsonb_build_array('taken.claim', pg_catalog.jsonb_build_object('existing_id', first_id));
end
$function$;

comment on function app.refuse_repeated_claim(uuid, uuid) is
    'Refuses (TX409) a claim because another claim is of the same notice. The error''s hint names the other claim.';
grant execute on function app.refuse_repeated_claim(uuid, uuid) to taxclaims_client, taxclaims_admin;

-- One statement of an import inserts many claims, so this trigger compares all of them at once.
create or replace function app.check_new_claims_once()
    returns trigger
    language plpgsql volatile set search_path = ''
as $function$
declare
    sites constant uuid[] := array(
        select distinct n.site_id
        from new_claims as n
        where n.tax_year is not null and n.commune_code is not null and app.notice_key(n.notice_reference) is not null
        order by n.site_id
    );
    repeated record;
begin
    if sites = '{}' then
        return null;
    end if;
    perform from public.sites as s where s.id = any (sites) order by s.id for no key update;
    select n.id, r.id as first_id
    into repeated
    from public.reclamations as r
    join new_claims as n
        on n.site_id = r.site_id
        and n.claim_type = r.claim_type
        and n.tax_year = r.tax_year
        and n.commune_code = r.commune_code
        and app.notice_key(n.notice_reference) = app.notice_key(r.notice_reference)
        and n.id <> r.id
    where r.site_id = any (sites) and r.status not in ('WITHDRAWN', 'CLOSED') and n.status not in ('WITHDRAWN', 'CLOSED')
    order by r.created_at, r.id
    limit 1;
    if found then
        perform app.refuse_repeated_claim(repeated.id, repeated.first_id);
    end if;
    return null;
end
$function$;

comment on function app.check_new_claims_once() is
    'Trigger of reclamations that refuses (TX409) new claims of the same site and notice as another claim, and locks '
    'their sites.';

create or replace function app.check_claim_once()
    returns trigger
    language plpgsql volatile set search_path = ''
as $function$
declare
    new_key constant text := app.notice_key(new.notice_reference);
    first_id uuid;
begin
    perform from public.sites as s where s.id = new.site_id for no key update;
    select r.id
    into first_id
    from public.reclamations as r
    where r.site_id = new.site_id
        and (r.claim_type, r.tax_year, r.commune_code) = (new.claim_type, new.tax_year, new.commune_code)
        and app.notice_key(r.notice_reference) = new_key
        and r.id <> new.id
        and r.status not in ('WITHDRAWN', 'CLOSED')
    order by r.created_at, r.id
    limit 1;
    if found then
        perform app.refuse_repeated_claim(new.id, first_id);
    end if;
    return null;
end
$function$;

comment on function app.check_claim_once() is
    'Trigger of reclamations that refuses (TX409) a change after which two claims are of the same site and notice, and '
    'locks the site.';

create or replace trigger reclamations_check_new_once
    after insert on public.reclamations
    referencing new table as new_claims
    for each statement execute function app.check_new_claims_once();

create or replace trigger reclamations_check_once
    after update of site_id, claim_type, tax_year, commune_code, notice_reference, status on public.reclamations
    for each row
    when (
        new.status <> 'WITHDRAWN'
        and new.status <> 'CLOSED'
        and new.tax_year is not null
        and new.commune_code is not null
        and new.notice_reference is not null
        and (
            new.site_id <> old.site_id
            or new.claim_type <> old.claim_type
            or new.tax_year is distinct from old.tax_year
            or new.commune_code is distinct from old.commune_code
            or new.notice_reference is distinct from old.notice_reference
            or old.status = 'WITHDRAWN'
            or old.status = 'CLOSED'
        )
    )
    execute function app.check_claim_once();
