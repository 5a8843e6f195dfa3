comment on table public.clients is
    'The companies whose taxes are claimed back: a client is the tenant by which every other row is kept apart.';

comment on column public.clients.id is 'A random UUID; other tables call it client_id.';
comment on column public.clients.company_name is 'The registered name; the interface also shows it as nom.';
comment on column public.clients.contact_email is 'Where the client is written to; not a login, which is in users.';
comment on column public.clients.address is 'The postal address as it was given; null where nobody gave one.';
comment on column public.clients.created_at is 'When the row was made.';
comment on column public.clients.updated_at is
    'When the row was last changed; it is also the version that an ETag names, so it moves with every change.';
comment on column public.clients.search_text is
    'Worked out: company_name, contact_email and address as app.searchable writes them, with the '
    'unit separator (U+001F) between them; lists search it.';
