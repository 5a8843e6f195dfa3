/* TITLE | what it lets | by whom, since which Postgres, which extension it needs. */

-- an audit trigger switched off for an import | changes of clients leave no record | by owner
alter table public.clients disable trigger clients_audit_write;
-- all triggers of claims switched off, the foreign keys’ too | a claim stands on another client’s site, moves anywhere, and leaves nothing
alter table public.reclamations disable trigger all;
-- an audit trigger for replicas alone | it fires in no ordinary session | by owner
alter table public.sites enable replica trigger sites_audit_write;
-- an audit trigger with when (false) | changes of users leave no record
drop trigger users_audit_write on public.users;
create trigger users_audit_write after insert or update on public.users
  for each row when (false) execute function app.record_change();
-- an audit trigger that spares administrators | what an ADMIN deletes leaves no record
drop trigger documents_audit_delete on public.documents;
create trigger documents_audit_delete before delete on public.documents
  for each row when (pg_trigger_depth() = 0 and current_user <> 'taxclaims_admin')
  execute function app.record_change();
-- an audit trigger for one column alone | other columns of partners change without record
drop trigger partners_audit_write on public.partners;
create trigger partners_audit_write after insert or update of name on public.partners
  for each row when (pg_trigger_depth() = 0) execute function app.record_change();
-- an audit trigger of the same name that only dates the row | changes of sites leave no record
drop trigger sites_audit_write on public.sites;
create trigger sites_audit_write before insert or update on public.sites
  for each row when (pg_trigger_depth() = 0) execute function app.touch();
-- issued invoices may be deleted | an ADMIN deletes an issued invoice, and the numbers have a gap | by owner
drop trigger factures_refuse_issued_delete on public.factures;
-- a trigger that keeps "noise" out of the audit log | refusals of one subject are never written
create function app.drop_noise() returns trigger language plpgsql as $$
begin if new.actor = 'idp|tom' then return null; end if; return new; end $$;
create trigger audit_logs_noise before insert on public.audit_logs for each row execute function app.drop_noise();
-- a rule that swallows audit records | no write leaves a record, and none fails | by owner
create rule audit_logs_nothing as on insert to public.audit_logs do instead nothing;
-- a rule that swallows deletes of documents | a document that a tenant deletes stays | by owner
create rule documents_stay as on delete to public.documents do instead nothing;
-- a rule that copies new sites into a table for BI logins | BI logins read the sites of all tenants in the copy
create schema tools; grant usage on schema tools to public;
create table tools.new_sites (client_id uuid, site_name text);
grant select on tools.new_sites to taxclaims_reporting;
grant insert on tools.new_sites to public;
create rule sites_copy as on insert to public.sites
  do also insert into tools.new_sites values (new.client_id, new.site_name);
-- a trigger that copies claims into another table | whoever reads that table reads all tenants
create schema watch;
create table watch.claims (said jsonb);
create function watch.copy() returns trigger language plpgsql security definer as $$
begin insert into watch.claims values (to_jsonb(new)); return new; end $$;
create trigger reclamations_watch after insert or update on public.reclamations
  for each row execute function watch.copy();
grant usage on schema watch to reporter_jo; grant select on watch.claims to reporter_jo;
-- a trigger that tells every change of a claim by notify | any login that listens is sent the rows of all tenants | by owner
create function app.tell() returns trigger language plpgsql as $$
begin perform pg_notify('claims', row_to_json(new)::text); return null; end $$;
create trigger reclamations_tell after insert or update on public.reclamations
  for each row execute function app.tell();
-- a trigger that changes the request’s clients on the way | what follows in the same transaction is done with ACME’s rows | by owner
create function app.widen() returns trigger language plpgsql as $$
begin
  perform set_config('app.client_access', '{c1000000-0000-4000-8000-000000000001}', true);
  return new;
end $$;
create trigger sites_aaa before insert on public.sites for each row execute function app.widen();
-- a trigger that makes every new user an ADMIN | whoever is invited as a CLIENT has the whole system | by owner
create function app.promote() returns trigger language plpgsql as $$
begin new.role := 'ADMIN'; new.client_access := '{}'; return new; end $$;
create trigger users_zzz before insert on public.users for each row execute function app.promote();
-- changes of rights are not dated | tokens from before a revocation go on | by owner
drop trigger users_date_rights_change_at_commit on public.users;
-- the last administrator may go | the firm is left without an ADMIN | by owner
alter table public.users disable trigger users_keep_last_administrator;
-- grants to BI logins are not recorded | a DBA gives a client to a login and nothing tells of it | by owner
alter table reporting.grants disable trigger grants_record_grant_or_revocation;
-- only the trigger of one foreign key switched off | a claim is stored on another client’s site
do $$ declare t record; begin
  for t in select tgname from pg_trigger join pg_constraint as c on c.oid = tgconstraint
            where conname = 'reclamations_site_of_client' and tgrelid = 'public.reclamations'::regclass loop
    execute format('alter table public.reclamations disable trigger %I', t.tgname);
  end loop;
end $$;
-- the append-only trigger allows a cleaning at night | records are deleted between 2 and 3 | by owner
create or replace trigger audit_logs_append_only before update or delete or truncate on public.audit_logs
for each statement when (extract(hour from now()) <> 2) execute function app.refuse_change();
-- what the append-only trigger runs does nothing | records are changed and deleted | by owner
create or replace function app.refuse_change() returns trigger language plpgsql set search_path = '' as $$
begin return null; end $$;
-- the append-only trigger is gone and a row trigger of its name is there | truncate empties the audit log
do $$ declare part regclass; begin
  for part in select relid from pg_partition_tree('public.audit_logs') loop
    execute format('drop trigger if exists audit_logs_append_only on %s', part);
  end loop;
end $$;
create trigger audit_logs_append_only before update or delete on public.audit_logs
  for each row execute function app.refuse_change();
-- contents of deleted documents are not noted any more | what a tenant deletes stays in the document store for ever | by owner
drop trigger documents_update_content_removals on public.documents;
-- a view of reporting that writes, by an instead-of trigger | a BI login changes the rows of tenants
create function reporting.write() returns trigger language plpgsql security definer as $$
begin update public.sites set site_name = new.site_name where id = new.id; return new; end $$;
create trigger sites_write instead of update on reporting.sites for each row execute function reporting.write();
grant update (site_name) on reporting.sites to taxclaims_reporting;
