comment on table public.sites is 'The premises of a client that taxes are raised on; claims and parcels hang on a site.';
comment on column public.sites.id is 'A random UUID; together with client_id it is what a claim points at.';
comment on column public.sites.client_id is 'Whose site it is; it never changes.';
comment on column public.sites.site_name is 'What the client calls the premises.';
