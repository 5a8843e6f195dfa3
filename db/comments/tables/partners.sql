comment on table public.partners is
    'Partners (apporteurs d''affaires), who bring clients and earn a commission. '
    'A partner belongs to no client: client_partners links partners to clients.';
comment on column public.partners.name is 'Name of the partner, a company or a person.';
comment on column public.partners.siret is
    'SIRET, 14 digits with a valid checksum; null if none. '
    'Several partners may have the same SIRET, because a uniqueness error would reveal a partner of another client.';
comment on column public.partners.phone is 'Phone number as given; null if unknown.';
comment on column public.partners.commission_rate is
    'Commission in percent, 0 to 100, of the firm''s fee without VAT, which is amount_excl_tax of the invoice on a bill of '
    'the partner. For information only: the service computes no bill from it. Null if none was agreed.';
