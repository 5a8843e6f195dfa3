comment on view reporting.clients is 'Clients that are granted to the login.';
comment on view reporting.sites is 'Premises of the granted clients.';
comment on view reporting.cadastres is 'Parcels (entries of the land register) of the granted clients'' sites.';
comment on view reporting.reclamations is
    'Claims of the granted clients. One claim is about one commune, one tax and one year.';
comment on view reporting.reclamation_history is
    'Status changes of the granted clients'' claims. A new claim has no row: its first status lasts from created_at '
    'of the claim to its first row here.';
comment on view reporting.documents is 'Documents of the granted clients'' claims, without their contents.';
comment on view reporting.partners is 'Partners who brought a granted client.';
comment on view reporting.client_partners is 'Partners of the granted clients: who brought whom.';
comment on view reporting.invoices is 'The firm''s invoices to the granted clients (table public.factures).';
comment on view reporting.partner_invoices is 'Partners'' bills to the firm for the granted clients.';
comment on view reporting.users is 'Users who have a granted client, without their lists of clients.';
comment on view reporting.granted is 'Clients granted to each reporting login, for DBAs and auditors.';
comment on column reporting.granted.objection is
    'Why the login sees more than its grants, or that the login does not exist; null if all is well.';

comment on function reporting.objection(name) is
    'Why a login may not get a client: a way to see more than its grants. Null if the login may get one.';
comment on function reporting.grant_client(name, uuid) is
    'Lets a reporting login read a client, from its next statement on. Granting the same client twice is no '
    'error. For superusers '
    'and members of taxclaims_owner.';
comment on function reporting.revoke_client(name, uuid) is
    'Ends the right of a reporting login to read a client, from its next statement on. The login may be dropped '
    'already.';
comment on function reporting.grant_all_clients(name) is
    'Lets a reporting login read every client, including new ones, and writes an audit record. For superusers and '
    'members of taxclaims_owner.';
comment on function reporting.revoke_all_clients(name) is
    'Ends the effect of reporting.grant_all_clients. Grants of single clients stay.';
comment on function reporting.adopt_grants(name) is
    'Gives the grants of a dropped login to the login that has the same name now. Returns the number of grants.';
comment on function reporting.hold_login() is 'Trigger of reporting.grants that fills login_oid.';
comment on function reporting.place_login(name) is
    'Puts a login with at most a hundred clients into taxclaims_reporting_few, so that an index finds its rows. '
    'Affects speed only.';
comment on function reporting.place_logins() is
    'Trigger of reporting.grants that calls reporting.place_login for each changed login.';
comment on function reporting.forget_plans() is
    'Makes sessions plan their prepared statements again, after a login got or lost all clients.';
