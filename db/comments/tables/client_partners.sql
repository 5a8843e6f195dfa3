comment on table public.client_partners is
    'Partners of clients: who brought whom. Everybody who sees the client sees the partner, except the client''s '
    'users.';
comment on column public.client_partners.partner_id is 'The partner. A linked partner cannot be deleted.';
comment on column public.client_partners.created_at is 'Time of the link.';
