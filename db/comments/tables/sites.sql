comment on table public.sites is 'Premises of a client that are taxed.';
comment on column public.sites.site_name is 'Name of the premises.';
