-- What a row does to itself as it is written. These run as the writer: they need no right of their own.

-- Every change moves updated_at to the time of its transaction, and always forward: it is the version of the row
-- that an ETag names, so that two versions must never share it.
create or replace function app.touch()
    returns trigger
    language plpgsql
    volatile
    set search_path = ''
as $function$
begin
    new.updated_at := greatest(pg_catalog.now(), old.updated_at + interval '1 microsecond');
    return new;
end
$function$;

create or replace trigger clients_touch before update on public.clients for each row execute function app.touch();
create or replace trigger sites_touch before update on public.sites for each row execute function app.touch();
create or replace trigger cadastres_touch before update on public.cadastres for each row execute function app.touch();
create or replace trigger reclamations_touch before update on public.reclamations for each row execute function app.touch();
create or replace trigger partners_touch before update on public.partners for each row execute function app.touch();
create or replace trigger factures_touch before update on public.factures for each row execute function app.touch();
create or replace trigger partner_invoices_touch before update on public.partner_invoices for each row execute function app.touch();
create or replace trigger users_touch before update on public.users for each row execute function app.touch();

-- A change of a user's rights makes tokens that say otherwise invalid from this moment on,
-- unless the writer names the moment: a login dates it by the token that brought the change. A user's own request
-- that adds a client to their list, by creating it, leaves the token in hand valid: it says less, never more.
-- An ADMIN without a list has every client, and loses some with the first that is listed.
create or replace function app.date_change_of_rights()
    returns trigger
    language plpgsql
    volatile
    set search_path = ''
as $function$
begin
    if new.access_changed_at is distinct from old.access_changed_at
        or (
            new.id = app.user_id()
            and new.role = old.role
            and new.is_active = old.is_active
            and new.client_access @> old.client_access
            and (new.role <> 'ADMIN' or old.client_access <> '{}')
        )
    then
        return new;
    end if;
    new.access_changed_at := pg_catalog.now();
    return new;
end
$function$;

create or replace trigger users_date_change_of_rights
    before update on public.users
    for each row
    when (
        old.role <> new.role
        or old.client_access <> new.client_access
        or old.is_active <> new.is_active
    )
    execute function app.date_change_of_rights();

-- A partner's bill is kept as printed; what it does not say is worked out here.
create or replace function app.complete_partner_invoice()
    returns trigger
    language plpgsql
    volatile
    set search_path = ''
as $function$
begin
    if tg_op = 'UPDATE' then
        if (new.amount_excl_tax, new.vat_rate) is distinct from (old.amount_excl_tax, old.vat_rate)
            and new.vat_amount = old.vat_amount
        then
            new.vat_amount := null;
        end if;
        if (new.amount_excl_tax, new.vat_amount) is distinct from (old.amount_excl_tax, old.vat_amount)
            and new.amount_incl_tax = old.amount_incl_tax
        then
            new.amount_incl_tax := null;
        end if;
        if new.status <> old.status and (old.status, new.status) not in (
            ('RECEIVED', 'VALIDATED'),
            ('RECEIVED', 'DISPUTED'),
            ('VALIDATED', 'PAID'),
            ('VALIDATED', 'DISPUTED'),
            ('DISPUTED', 'VALIDATED')
        ) then
            raise exception 'a partner invoice does not move from % to %', old.status, new.status using errcode = 'TX409';
        end if;
    elsif new.status <> 'RECEIVED' then
        raise exception 'a partner invoice begins as RECEIVED' using errcode = 'TX409';
    end if;
    new.vat_amount := coalesce(new.vat_amount, pg_catalog.round(new.amount_excl_tax * new.vat_rate / 100, 2));
    new.amount_incl_tax := coalesce(new.amount_incl_tax, new.amount_excl_tax + new.vat_amount);
    return new;
end
$function$;

create or replace trigger partner_invoices_complete
    before insert or update on public.partner_invoices
    for each row
    execute function app.complete_partner_invoice();
