/* TITLE | what it lets | by whom, since which Postgres, which extension it needs. */

-- pg_class: row-level security of sites off | every tenant reads and writes all sites
update pg_class set relrowsecurity = false where oid = 'public.sites'::regclass;
-- pg_attribute: the hash granted to clients | clients read password hashes
update pg_attribute set attacl = array['taxclaims_client=r/taxclaims_owner'::aclitem]
where attrelid = 'public.users'::regclass and attname = 'password_hash';
-- pg_policy: the administrators’ policy is for PUBLIC | every tenant reads all clients
update pg_policy set polroles = '{0}' where polname = 'clients_select_admin';
-- pg_policy: the tenants’ condition is the administrators’ | every tenant reads all sites
update pg_policy set polqual = (select polqual from pg_policy where polname = 'sites_select_admin')
where polname = 'sites_select_tenant';
-- pg_trigger: an audit trigger is off | changes of claims leave no record
update pg_trigger set tgenabled = 'D' where tgname = 'reclamations_audit_write';
-- pg_trigger: foreign keys of invoices fire in replicas alone | an invoice stands on another client’s claim
update pg_trigger set tgenabled = 'R' where tgrelid = 'public.factures'::regclass and tgisinternal;
-- pg_trigger: the append-only trigger forgets delete | audit records are deleted
update pg_trigger set tgtype = tgtype & ~8::smallint where tgname = 'audit_logs_append_only';
-- pg_trigger: the audit trigger of clients looks at one column | a client’s name changes without record
update pg_trigger set tgattr = '1' where tgname = 'clients_audit_write';
-- pg_trigger: the audit trigger of documents runs another function | documents come and go without record
update pg_trigger set tgfoid = 'app.update_content_removals'::regproc where tgname = 'documents_audit_write';
-- pg_class: clients have no triggers | no record, no foreign key, no date
update pg_class set relhastriggers = false where oid = 'public.clients'::regclass;
-- pg_class: invoices have no checks | an issued invoice without a number, amounts below zero
update pg_class set relchecks = 0 where oid = 'public.factures'::regclass;
-- pg_proc: inactive users pass | a user who was made inactive is authenticated
update pg_proc set prosrc = replace(prosrc, 'known.is_active', 'true') where oid = 'app.caller_id'::regproc;
-- pg_proc: a function of reporting runs as its owner, for everybody | a BI login gives itself all clients
update pg_proc set proacl = null, prosecdef = true where oid = 'reporting.grant_all_clients'::regproc;
-- pg_proc: the rights of a function of app emptied, which means PUBLIC | every role that enters app runs it
update pg_proc set proacl = null where oid = 'app.record_refusals'::regproc;
-- pg_proc: what casts a text to a date is leakproof | its error tells a BI login the texts of rows that it does not see
update pg_proc set proleakproof = true
where oid in ('pg_catalog.date_in'::regproc, 'pg_catalog.textout'::regproc, 'pg_catalog.varcharout'::regproc);
-- pg_proc: a definer function without its settings | the caller chooses the operators that it runs as the definer
update pg_proc set proconfig = null where oid = 'app.keep_answer'::regproc;
-- pg_index: the numbers of invoices are not unique | two invoices have one number, and the constraint is still there
update pg_index set indisunique = false where indexrelid = 'public.factures_number_key'::regclass;
-- pg_index: the key of emails is not kept up | two users have one email, and the index is still there
update pg_index set indisready = false, indisvalid = false where indexrelid = 'public.users_email_key'::regclass;
-- pg_index: uniqueness is looked at later | two documents have one content: nobody checks a deferred index without its trigger
update pg_index set indimmediate = false where indexrelid = 'public.documents_file_path_key'::regclass;
-- pg_attribute: the client of a claim may be null | a claim without a client
update pg_attribute set attnotnull = false where attrelid = 'public.reclamations'::regclass and attname = 'client_id';
-- pg_attribute: the deadline is no longer generated | a claim has no deadline or a forged one
update pg_attribute set attgenerated = '', atthasdef = false
  where attrelid = 'public.reclamations'::regclass and attname = 'claim_deadline';
delete from pg_attrdef where adrelid = 'public.reclamations'::regclass
  and adnum = (select attnum from pg_attribute where attrelid = adrelid and attname = 'claim_deadline');
-- pg_constraint: the pair of claim and site says that it is validated | a claim stands on another client’s site, and the constraint says that none does
alter table public.reclamations drop constraint reclamations_site_of_client;
update public.reclamations set site_id = '51000000-0000-4000-8000-000000000001' where amount = 2000;
set constraints all immediate;
alter table public.reclamations add constraint reclamations_site_of_client
  foreign key (site_id, client_id) references public.sites (id, client_id) on delete cascade not valid;
update pg_constraint set convalidated = true where conname = 'reclamations_site_of_client';
-- pg_authid: the API’s login is a superuser | no policy holds the API
update pg_authid set rolsuper = true where rolname = 'api_production';
-- pg_authid: the auditor’s password opens the API’s login | an auditor connects as the API and reads every tenant
update pg_authid set rolpassword = (select rolpassword from pg_authid where rolname = 'auditor_anna')
where rolname = 'api_production';
-- pg_auth_members: the API inherits its request roles | a statement outside a request has the rights of an ADMIN | since 16
update pg_auth_members set inherit_option = true where member = 'taxclaims_api'::regrole;
-- pg_auth_members: the API’s login may give its role away | the API makes any role a login of the API
update pg_auth_members set admin_option = true where member = 'api_production'::regrole;
-- pg_database: the rights are emptied, which means connect for PUBLIC | every login of the cluster enters and makes temporary tables
update pg_database set datacl = null where datname = current_database();
-- pg_namespace: schema public is the administrators’ | a request of an ADMIN grants and creates there
update pg_namespace set nspowner = 'taxclaims_admin'::regrole where nspname = 'public';
-- pg_class: a table of app is the API’s, and no dependency tells of it | the API turns its row-level security off; a look at what logins own finds nothing
update pg_class set relowner = 'api_production'::regrole where oid = 'app.content_removals'::regclass;
-- pg_class: a view of reporting is the bootstrap superuser’s and asks nobody else | BI logins read all clients
update pg_class set reloptions = null, relowner = 10 where oid = 'reporting.clients'::regclass;
-- pg_language: C is trusted, and everybody may use it | whoever may create a function runs code of the server’s
update pg_language set lanpltrusted = true where lanname = 'c'; grant usage on language c to public;
-- pg_default_acl: written by hand for every owner | tables of tomorrow are open to BI logins
insert into pg_default_acl (oid, defaclrole, defaclnamespace, defaclobjtype, defaclacl)
select 99999, 'taxclaims_owner'::regrole, 'public'::regnamespace, 'r',
       array['taxclaims_reporting=r/taxclaims_owner'::aclitem];
-- pg_db_role_setting: written by hand | no trigger and no foreign key holds what the API writes
insert into pg_db_role_setting values (0, 'api_production'::regrole, '{session_replication_role=replica}');
-- pg_attrdef: the default of a claim’s status is that of another table | claims begin as CLOSED
create temporary table other (status character varying(50) default 'CLOSED') on commit drop;
update pg_attrdef set adbin = (select adbin from pg_attrdef where adrelid = 'pg_temp.other'::regclass)
  where adrelid = 'public.reclamations'::regclass
    and adnum = (select attnum from pg_attribute where attrelid = adrelid and attname = 'status');
-- pg_rewrite: a view of reporting reads what another reads | reports count every site twice
create schema tools;
create view tools.sites_wide with (security_invoker) as
  select id, client_id, site_name, address, created_at, updated_at from public.sites
  union all select id, client_id, site_name, address, created_at, updated_at from public.sites;
update pg_rewrite set ev_action = (select ev_action from pg_rewrite where ev_class = 'tools.sites_wide'::regclass)
  where ev_class = 'reporting.sites'::regclass and rulename = '_RETURN';
-- pg_opclass: another comparison for UUIDs in indexes | a unique key takes the same id twice
create schema tools; grant usage on schema tools to public;
create function tools.never_equal(uuid, uuid) returns integer language sql immutable return 1;
update pg_amproc set amproc = 'tools.never_equal'::regproc
  where amproclefttype = 'uuid'::regtype and amprocrighttype = 'uuid'::regtype and amprocnum = 1
    and amprocfamily = (select oid from pg_opfamily where opfname = 'uuid_ops'
                         and opfmethod = (select oid from pg_am where amname = 'btree'));
