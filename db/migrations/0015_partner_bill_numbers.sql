-- The number of a partner's bill is unique for its client too: a partner that several clients share numbers its bills
-- for all of them, and a number that is refused would tell one client of another's bill, and could be taken from it.
alter table public.partner_invoices
    add constraint partner_invoices_client_id_partner_id_number_key unique (client_id, partner_id, number);
alter table public.partner_invoices drop constraint partner_invoices_partner_id_number_key;

-- What found the bills of a partner until now: they are asked for when the partner is deleted, and by that filter.
create index partner_invoices_partner_id_idx on public.partner_invoices (partner_id);
