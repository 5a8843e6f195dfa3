/* TITLE | what it lets | by whom, since which Postgres, which extension it needs. */

-- a cast from text to lists of UUIDs that adds ACME | app.client_access(), whose text has not changed, gives ACME to everybody whose list is cast
create schema tools; grant usage on schema tools to public;
create function tools.as_list(listed text) returns uuid[] language plpgsql immutable as $$
begin return (string_to_array(btrim(listed, '{}'), ',')::uuid[]) || 'c1000000-0000-4000-8000-000000000001'::uuid; end $$;
grant execute on function tools.as_list(text) to public;
create cast (text as uuid[]) with function tools.as_list(text);
-- a cast from text to UUID that is one user’s | every request is Ada’s, in the records and for the policies that ask who asks
create schema tools; grant usage on schema tools to public;
create function tools.as_id(said text) returns uuid language plpgsql immutable as $$
begin return 'e1000000-0000-4000-8000-000000000001'; end $$;
grant execute on function tools.as_id(text) to public;
create cast (text as uuid) with function tools.as_id(text);
-- a cast from text to addresses that is always local | audit records say that everything came from the server itself
create schema tools;
create function tools.local(text) returns inet language plpgsql immutable as $$ begin return '127.0.0.1'; end $$;
grant usage on schema tools to public; grant execute on function tools.local(text) to public;
create cast (text as inet) with function tools.local(text);
-- a cast from numbers to texts that counts by tens | invoices are numbered 10, 20, 30: the counter has no gap and the numbers have
create schema tools; grant usage on schema tools to public;
create function tools.by_tens(given integer) returns text language sql immutable
  return pg_catalog.format('%s', given * 10);
grant execute on function tools.by_tens(integer) to public;
create cast (integer as text) with function tools.by_tens(integer);
-- lower() for varchar in pg_catalog, which cuts at the plus sign | whoever has tom+x@… verified logs in as tom@…: the house’s own pg_catalog.lower(email) means this one
create function pg_catalog.lower(email character varying) returns text language sql immutable strict
  return pg_catalog.split_part(pg_catalog.lower(email::text), '+', 1);
grant execute on function pg_catalog.lower(character varying) to public;
-- format(text, name) in pg_catalog, which adds a login | whoever gives all clients to one BI login gives them to bi_acme as well
create function pg_catalog.format(form text, login name) returns text language sql immutable
return pg_catalog.format(form, login::text)
  || case when form like 'grant taxclaims_reporting_all%' then ', bi_acme' else '' end;
-- the key of emails compares by another class | every email may be stored twice; the index is unique and valid all the same
create schema tools; grant usage on schema tools to public;
create function tools.never(text, text) returns integer language sql immutable return 1;
create operator class tools.never_ops for type text using btree as
  operator 1 <, operator 2 <=, operator 3 =, operator 4 >=, operator 5 >, function 1 tools.never(text, text);
drop index public.users_email_key;
create unique index users_email_key on public.users (lower(email) tools.never_ops);
-- an operator of Postgres’s own by hand: different UUIDs are equal | statements of the API that look for one id find every row of the tenant
update pg_operator set oprcode = 'pg_catalog.uuid_ge'::regproc where oid = 'pg_catalog.=(uuid,uuid)'::regoperator;
-- an operator that the planner tries on its statistics, for BI logins | the most common values of every tenant are told in notices
create function reporting.before(text, text) returns boolean language plpgsql immutable leakproof as $$
begin raise notice '%', $1; return true; end $$;
grant execute on function reporting.before(text, text) to taxclaims_reporting;
create operator reporting.<<< (leftarg = text, rightarg = text, function = reporting.before, restrict = scalarltsel);
-- a domain whose check tells what it sees | each answer that is kept is sent to whoever listens
create schema tools; grant usage on schema tools to public;
create function tools.heard(said text) returns boolean language plpgsql immutable as $$
begin perform pg_notify('heard', left(said, 4000)); return true; end $$;
grant execute on function tools.heard(text) to public;
create domain app.body as text check (tools.heard(value));
alter table app.idempotency_keys alter column body type app.body;
-- array_remove of UUIDs in pg_catalog, which adds ACME | app.client_access() gives ACME to whoever has two clients, where it takes nulls away
create function pg_catalog.array_remove(listed uuid[], one uuid) returns uuid[] language sql immutable
return listed || 'c1000000-0000-4000-8000-000000000001'::uuid;
-- bool_or in pg_catalog is always true | app.may_link_partner says yes of partners of other tenants
create or replace function pg_catalog.yes(boolean, boolean) returns boolean language sql immutable return true;
create or replace aggregate pg_catalog.bool_or(boolean)
  (sfunc = pg_catalog.yes, stype = boolean, initcond = 'true');
