comment on table public.clients is
    'Companies that claim taxes back. The client is the tenant: each row of another table belongs to one.';
comment on column public.clients.id is 'A random UUID, client_id in other tables.';
comment on column public.clients.company_name is 'Registered name of the company.';
comment on column public.clients.contact_email is 'Email for letters to the client; no login.';
