comment on view reporting.clients is 'Clients granted to the login that reads the view.';
comment on view reporting.sites is 'Taxed premises of the clients granted to the login.';
comment on view reporting.cadastres is
    'Parcels (entries of the land register) of the sites of clients granted to the login.';
comment on view reporting.reclamations is
    'Tax claims of the clients granted to the login. One claim is about one commune, one tax and one year.';
comment on view reporting.reclamation_history is
    'Status changes of the claims of clients granted to the login. A new claim has no row in this view. The first '
    'status of a claim lasts from the claim''s created_at to the claim''s first row in this view.';
comment on view reporting.documents is 'Documents of the claims of clients granted to the login, without the files.';
comment on view reporting.partners is 'Partners who brought the firm a client that is granted to the login.';
comment on view reporting.client_partners is
    'Which partner brought which client to the firm, for clients granted to the login.';
comment on view reporting.invoices is 'The firm''s invoices to clients granted to the login, from public.factures.';
comment on view reporting.partner_invoices is 'Partners'' bills to the firm for clients granted to the login.';
comment on view reporting.users is
    'Users with access to a client granted to the login. The view does not show the users'' lists of clients.';
comment on view reporting.granted is 'Clients granted to each reporting login, for DBAs and auditors.';
comment on column reporting.granted.objection is
    'What is wrong with the login, such as that it does not exist or is a superuser; null if nothing is wrong.';

comment on function reporting.find_forbidden_roles(oid) is
    'Roles that a reporting login must not reach and that this role has or can become: roles past the policies, '
    'predefined roles of Postgres, and the other roles of the service.';
comment on function reporting.find_login_refusal_reason(name) is
    'Reason for which reporting.grant_client refuses a login, such as that it is a superuser; null if there is none.';
comment on function reporting.grant_client(name, uuid) is
    'Lets a reporting login read a client, from the login''s next statement on. A second grant of the same client '
    'raises no error. Only superusers and members of taxclaims_owner may call reporting.grant_client.';
comment on function reporting.revoke_client(name, uuid) is
    'Ends the right of a reporting login to read a client, from the login''s next statement on. '
    'reporting.revoke_client can also delete a grant that was made to a dropped login.';
comment on function reporting.grant_all_clients(name) is
    'Lets a reporting login read every client, including new ones, and writes an audit record. Only superusers and '
    'members of taxclaims_owner may call reporting.grant_all_clients.';
comment on function reporting.revoke_all_clients(name) is
    'Ends a login''s right to read every client (see reporting.grant_all_clients). Grants made with '
    'reporting.grant_client stay.';
comment on function reporting.adopt_grants(name) is
    'Gives the grants of a dropped login to the present login of the same name. Returns how many grants the login got.';
comment on function reporting.set_login_oid() is 'Trigger of reporting.grants that fills login_oid.';
comment on function reporting.set_login_role(name) is
    'Puts a login with at most 100 clients into the role taxclaims_reporting_few, so that its queries use an index. '
    'taxclaims_reporting_few affects only the speed of queries.';
comment on function reporting.set_login_role_after_change() is
    'Trigger of reporting.grants that calls reporting.set_login_role for each changed login.';
comment on function reporting.invalidate_query_plans() is
    'Makes sessions plan their prepared statements again, after a login got or lost the right to read all clients.';
