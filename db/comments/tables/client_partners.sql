comment on table public.client_partners is
    'Which partner brought which client to the firm. Users of the role CLIENT see no row of this table; other users '
    'see the rows of the clients that they see.';
comment on column public.client_partners.partner_id is
    'The partner. A partner that is linked to a client cannot be deleted.';
comment on column public.client_partners.created_at is 'Time at which the partner was linked to the client.';
