comment on table public.clients is
    'Companies that claim taxes back. The client is the tenant: each row of the other tenant tables belongs to one '
    'client.';
comment on column public.clients.id is 'A random UUID. Other tables refer to the id as client_id.';
comment on column public.clients.company_name is 'Registered name of the company.';
comment on column public.clients.contact_email is 'Email for letters to the client. The address is not a login.';
