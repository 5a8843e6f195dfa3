comment on table public.client_partners is
    'Which partner brought which client. Everybody who sees the client sees its partners, except the client''s users.';
comment on column public.client_partners.partner_id is 'The partner. A linked partner cannot be deleted.';
comment on column public.client_partners.created_at is 'Time at which the link was made.';
