comment on table public.sites is 'Premises of a client on which taxes are raised.';
comment on column public.sites.site_name is 'Name of the premises.';
