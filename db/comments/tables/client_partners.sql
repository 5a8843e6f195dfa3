comment on table public.client_partners is 'Which partner brought which client; whoever sees the client sees the partner.';
comment on column public.client_partners.client_id is 'The client.';
comment on column public.client_partners.partner_id is 'The partner; one that is still linked elsewhere cannot be deleted.';
comment on column public.client_partners.created_at is 'When the link was made.';
