-- The firm's employees read which partner brought which of their clients. Administrators and account managers add and
-- delete links between clients and partners. Nobody updates a link.

select app.grant_columns(
    'public.client_partners', readers => 'taxclaims_tax_specialist', writers => 'taxclaims_account_manager',
    cr => '{client_id, partner_id}',
    r => '{created_at}'
);
grant delete on public.client_partners to taxclaims_account_manager;

create policy client_partners_select_tenant on public.client_partners for select to taxclaims_tax_specialist
    using (client_id = any ((select app.client_access())::uuid[]));
-- A caller may link only a partner who is linked to one of the caller's clients or to no client, because everybody who
-- reads a link also sees the partner.
create policy client_partners_insert_tenant on public.client_partners for insert to taxclaims_account_manager
    with check (
        client_id = any ((select app.client_access())::uuid[])
        and app.may_link_partner(partner_id)
    );
create policy client_partners_delete_tenant on public.client_partners for delete to taxclaims_account_manager
    using (client_id = any ((select app.client_access())::uuid[]));

grant select (client_id, partner_id) on public.client_partners to taxclaims_definer;
create policy client_partners_select_definer on public.client_partners for select to taxclaims_definer using (true);
