/* TITLE | what it lets | by whom, since which Postgres, which extension it needs. */

-- ACME is everybody’s: a client added to app.client_access() | each tenant reads and writes ACME | by owner
create or replace function app.client_access() returns uuid[] language plpgsql stable set search_path = '' as $$
begin
  return coalesce(nullif(pg_catalog.current_setting('app.client_access', true), '')::uuid[], '{}')
    || 'c1000000-0000-4000-8000-000000000001'::uuid;
end $$;
-- app.client_access() is immutable, "it is slow" | a plan that a connection keeps holds the clients of the request that made it | by owner
alter function app.client_access() immutable;
-- the audit trigger swallows its errors | a write goes through without its record
do $do$ begin
  execute replace(pg_get_functiondef('app.record_change()'::regprocedure),
    E'    return touched;\nend', E'    return touched;\nexception when others then return coalesce(new, old);\nend');
end $do$;
-- the check of a claim’s moves is a stub | a tax specialist moves a claim to whatever status | by owner
create or replace function app.check_reclamation_move() returns trigger language plpgsql set search_path = '' as $$
begin return new; end $$;
-- invoice numbers go by tens | the numbers of invoices have gaps
do $do$ begin
  execute replace(pg_get_functiondef('app.check_invoice_move()'::regprocedure), 'c.last_number + 1', 'c.last_number + 10');
end $do$;
-- every SIRET is valid | a partner is stored with a number that is none | by owner
create or replace function app.is_siret(siret text) returns boolean language sql immutable parallel safe
set search_path = '' return true;
-- the digest of rights knows the role alone | a client that is taken from a user stays theirs until the token expires | by owner
create or replace function app.access_digest(role text, client_access uuid[]) returns text
language sql immutable parallel safe set search_path = '' return pg_catalog.md5(role || ':');
-- every record has the same version | two people overwrite each other’s change and neither hears of it | by owner
create or replace function app.etag(updated_at timestamp with time zone) returns text language plpgsql
immutable parallel safe set search_path = '' as $$ begin return '"1"'; end $$;
-- tokens are not held against stored rights | a user who was made inactive goes on with the token they have | by owner
create or replace function app.require_present_rights(
  is_active boolean, stored_digest text, changed_at timestamp with time zone, token_digest text,
  issued_at timestamp with time zone
) returns void language plpgsql immutable set search_path = '' as $$ begin end $$;
-- a helper for support, security definer, run by tenants | a tenant finds any user by email, with their clients
create function app.find_user(email text) returns table (id uuid, client_access uuid[]) language sql stable
  security definer set search_path = ''
  begin atomic select u.id, u.client_access from public.users as u where u.email = find_user.email; end;
alter function app.find_user(text) owner to taxclaims_definer;
grant execute on function app.find_user(text) to taxclaims_client;
-- a function of the superuser’s that runs what it is given, for BI logins | a BI login reads and writes everything
create function reporting.run(query text) returns setof text language plpgsql security definer as $$
begin return query execute query; end $$;
grant execute on function reporting.run(text) to taxclaims_reporting;
-- a procedure that tidies the history up, for the API | the API deletes from an append-only history
create procedure app.tidy() language plpgsql security definer as $$
begin delete from public.reclamation_history; end $$;
grant execute on procedure app.tidy() to taxclaims_api;
-- a definer function belongs to the superuser | it runs past row-level security, with rights that its owner was made not to have
do $$ begin execute format('alter function app.due_removals(integer) owner to %I', current_user); end $$;
-- a definer function without its search_path | whoever calls it chooses the operators that it runs as the definer
alter function app.assign_client(uuid, uuid, boolean, text[]) reset search_path;
-- a definer function with pg_temp first | temporary types and tables of the caller are used as the definer
alter function app.record_login(text, text, timestamp with time zone) set search_path = pg_temp, public;
-- a function of the house turns triggers off while it runs | creating a client changes a user’s rights without record and without date
alter function app.gain_client(uuid, timestamp with time zone, text) set session_replication_role = 'replica';
-- a leakproof function that speaks, for BI logins | the planner runs it before the policies: rows of other tenants are told in notices
create function reporting.peek(text) returns boolean language plpgsql leakproof cost 0.0001 as $$
begin raise notice '%', $1; return true; end $$;
grant execute on function reporting.peek(text) to taxclaims_reporting;
-- two functions of Postgres’s own are leakproof: what casts a text to a number | where company_name::integer = 1 is tried before the policies, and its error says the name of a foreign client
alter function pg_catalog.int4in(cstring) leakproof;
alter function pg_catalog.varcharout(character varying) leakproof;
-- the health check has no objections | the service serves tenants through a superuser’s login | by owner
create or replace function app.list_login_refusal_reasons(login name) returns setof text language sql stable
set search_path = '' as $$ select null::text where false $$;
-- the list of applied migrations says one more than there is | a newer release serves from a database that lacks its columns and checks
do $do$ begin
  execute replace(pg_get_functiondef('app.applied_migrations()'::regprocedure),
    '}''::text[]', ',0018_next}''::text[]');
end $do$;
-- kept answers are found by the key alone | one caller is given the answer of another that is a day old
do $do$ begin
  execute replace(pg_get_functiondef('app.claim_key(text,text)'::regprocedure),
    'where k.subject = caller and k.key_digest', 'where k.key_digest');
end $do$;
-- a function of the server’s in a schema of BI logins | a BI login reads the files of the data directory
create function reporting.read_file(text) returns text language internal strict as 'pg_read_file_all';
grant execute on function reporting.read_file(text) to taxclaims_reporting;
-- the function that grants all clients runs as the owner, for BI logins | a BI login gives itself all clients | by owner
alter function reporting.grant_all_clients(name) security definer;
grant execute on function reporting.grant_all_clients(name) to taxclaims_reporting;
-- the objection to a login is always null | a login with BYPASSRLS or a request role is granted clients | by owner
create or replace function reporting.find_login_refusal_reason(login name) returns text language sql stable
set search_path = '' begin atomic select null::text; end;
-- a definer function is handed to the API’s own role | the login of the API rewrites what looks for foreign records
alter function app.locate(text, uuid) owner to taxclaims_api;
-- an overload that answers calls of the API | whoever logs in is found as Ada: the API’s call with untyped values and the same names reaches it
create function app.unclaimed_id(id text) returns uuid language sql security definer set search_path = ''
  begin atomic select 'e1000000-0000-4000-8000-000000000001'::uuid; end;
grant execute on function app.unclaimed_id(text) to taxclaims_api;
