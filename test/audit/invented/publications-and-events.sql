/* TITLE | what it lets | by whom, since which Postgres, which extension it needs. */

-- a publication of all tables | a subscriber has every row of every tenant
create publication everything for all tables;
-- a publication of users with their hashes | a subscriber has emails and hashes
create publication people for table public.users;
-- a publication of a whole schema, by the owner of the tables with create on the database | a subscriber has what the schema will have
create publication reports for tables in schema public;
-- old rows of users in the WAL | whoever decodes the WAL reads old hashes and lists | by owner
alter table public.users replica identity full;
-- a subscription that writes claims | another server writes rows of tenants, as its owner and past the triggers
create subscription inbound connection 'host=elsewhere.example dbname=x' publication claims
with (connect = false, slot_name = none);
-- an audit trigger that fires for replication alone, beside an inbound subscription | replicated rows are recorded and those of requests are not
alter table public.factures enable replica trigger factures_audit_write;
create subscription inbound connection 'host=elsewhere.example dbname=x' publication claims
  with (connect = false, slot_name = none);
-- an event trigger that opens again what a deploy closes | after each deploy BI logins have all tables
create schema tools;
create function tools.reopen() returns event_trigger language plpgsql as $$
begin
  if tg_tag = 'CREATE POLICY' then
    execute 'grant select (id, password_hash) on public.users to taxclaims_reporting';
  end if;
end $$;
create event trigger reopen on ddl_command_end execute function tools.reopen();
-- an event trigger at login makes the API’s sessions replicas | no trigger and no foreign key holds what the API writes | since 17
create schema tools;
create function tools.at_login() returns event_trigger language plpgsql security definer as $$
begin
  if session_user = 'api_production' then perform set_config('session_replication_role', 'replica', false); end if;
end $$;
create event trigger at_login on login execute function tools.at_login();
-- an event trigger that stops nobody and says nothing: drops are undone | a policy that a deploy drops is made again
create schema tools;
create function tools.again() returns event_trigger language plpgsql as $$
begin
  execute 'create policy again on public.partners for select to taxclaims_client using (true)';
exception when duplicate_object then null;
end $$;
create event trigger again on sql_drop execute function tools.again();
