comment on table public.partners is
    'The apporteurs d''affaires, who bring clients and earn a commission. Of no client: one is seen through '
    'client_partners.';
comment on column public.partners.name is 'The name of the company or the person.';
comment on column public.partners.siret is
    'The 14 digits of the French establishment, with a valid check sum; null for one that has none. Not unique, on '
    'purpose: a refusal would tell of the partner of another client.';
comment on column public.partners.contact_email is 'Null where it is not known.';
comment on column public.partners.phone is 'As it was given; null where it is not known.';
comment on column public.partners.address is 'The postal address as it was given; null where it is not known.';
comment on column public.partners.commission_rate is 'The commission in percent, 0 to 100; null where none was agreed.';
