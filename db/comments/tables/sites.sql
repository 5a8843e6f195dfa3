comment on table public.sites is 'Taxed premises of a client.';
comment on column public.sites.site_name is 'Name of the premises.';
