-- What a BI tool shows of the reporting surface, and whom each function is for.
comment on view reporting.clients is 'The clients that were granted to the login.';
comment on view reporting.sites is 'The premises of the granted clients.';
comment on view reporting.cadastres is
    'The entries of the land register on which the sites of the granted clients stand, each with its client.';
comment on view reporting.reclamations is
    'The claims of the granted clients: one row is one claim, about one commune, one tax and one year.';
comment on view reporting.reclamation_history is
    'Every move that a claim of the granted clients made; compare changed_at to learn how long it stood somewhere.';
comment on view reporting.documents is
    'What is known of the papers of the claims, each with its client; where their contents lie is not shown.';
comment on view reporting.partners is 'The partners who brought one of the granted clients.';
comment on view reporting.client_partners is 'Which partner brought which of the granted clients.';
comment on view reporting.invoices is 'Invoices of the firm to the granted clients; the table is public.factures.';
comment on view reporting.partner_invoices is 'What partners billed the firm for the granted clients.';
comment on view reporting.users is 'The users who have one of the granted clients, without the list of their clients.';
comment on view reporting.granted is 'Which login reads which client, for DBAs and auditors.';
comment on column reporting.granted.objection is
    'What lets the login see more than its grants say, or that there is no such login; null when all is well.';

comment on function reporting.objection(name) is
    'Why a login may not be granted a client: what lets it see more than its grants say. Null when nothing does.';
comment on function reporting.grant_client(name, uuid) is
    'Lets a reporting login read a client from its next statement on. For superusers and members of taxclaims_owner; '
    'may be repeated.';
comment on function reporting.revoke_client(name, uuid) is
    'Takes a client from a reporting login from its next statement on, also from a login that was dropped.';
comment on function reporting.grant_all_clients(name) is 'Lets a reporting login read every client, those of later too. For superusers and members of taxclaims_owner; leaves an audit record.';
comment on function reporting.revoke_all_clients(name) is 'Takes every client from a reporting login that has all of them by reporting.grant_all_clients.';
comment on function reporting.adopt_grants(name) is 'Gives the grants of a login that was dropped to the one that has its name now.';
comment on function reporting.hold_login() is 'Trigger of reporting.grants: keeps which role has the login''s name when it is granted.';
comment on function reporting.place_login(name) is
    'Says anew whether a login has so few clients that its rows are found by index. It never changes which rows those are.';
comment on function reporting.place_logins() is
    'Trigger of reporting.grants: calls reporting.place_login for each login whose grants changed.';
comment on function reporting.forget_plans() is
    'Makes every session plan its prepared statements on reporting anew, after a login got all clients or lost them.';
