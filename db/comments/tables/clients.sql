comment on table public.clients is
    'The companies whose taxes are claimed back: a client is the tenant by which every other row is kept apart.';
comment on column public.clients.id is 'A random UUID; other tables call it client_id.';
comment on column public.clients.company_name is 'The registered name; the interface also shows it as nom.';
comment on column public.clients.contact_email is 'Where the client is written to; not a login, which is in users.';
