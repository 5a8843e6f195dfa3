comment on table public.sites is
    'The premises of a client that taxes are raised on; claims and parcels hang on a site.';

comment on column public.sites.id is 'A random UUID; together with client_id it is what a claim points at.';
comment on column public.sites.client_id is 'Whose site it is; it never changes.';
comment on column public.sites.site_name is 'What the client calls the premises.';
comment on column public.sites.address is 'The postal address as it was given; null where nobody gave one.';
comment on column public.sites.created_at is 'When the row was made.';
comment on column public.sites.updated_at is
    'When the row was last changed; it is also the version that an ETag names, so it moves with every change.';
comment on column public.sites.search_text is
    'Worked out: site_name and address as app.searchable writes them, with the '
    'unit separator (U+001F) between them; lists search it.';
