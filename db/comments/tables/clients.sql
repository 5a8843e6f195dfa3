comment on table public.clients is
    'Companies that claim taxes back. The client is the tenant: each site, claim and invoice belongs to one client.';
comment on column public.clients.id is 'A random UUID. Other tables refer to this id as client_id.';
comment on column public.clients.company_name is 'Registered name of the company.';
comment on column public.clients.siren is
    'SIREN of the company: nine digits; null if unknown. A mandatory mention of the e-invoice and of each CFE notice.';
comment on column public.clients.contact_email is 'Email address for letters to the client, not for a login.';
