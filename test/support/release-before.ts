const REQUEST_ROLES =
  'taxclaims_admin, taxclaims_scoped_admin, taxclaims_account_manager, taxclaims_tax_specialist, taxclaims_client';

const LOG_INDEXES = [
  ...['pkey', 'created_at_idx', 'client_context_idx', 'user_id_idx', 'actor_idx', 'action_idx'],
  ...['resource_type_idx', 'resource_id_idx', 'refusals_idx'],
];

/** By this function a deploy would write again what is taken out of the list of migrations. */
export const FORGET_APPLIED = 'drop function app.applied_migrations();';

/**
 * What came after the log by month. The dropped column leaves no place behind: the bodies of SQL functions hold the numbers
 * of columns, so that the one that is added again would be drift.
 */
const UNDO_LATER = `
  create table app.write_positions (); create table app.present_epoch (); create table app.primary_epochs ();
  alter table app.write_positions owner to taxclaims_owner;
  alter table app.present_epoch owner to taxclaims_owner;
  alter table app.primary_epochs owner to taxclaims_owner;
  drop table app.provider_clock;
  create or replace function app.provider_time(moment timestamp with time zone)
      returns timestamp with time zone language sql stable set search_path = '' return moment;
  create or replace function app.was_issued_after(issued_at timestamp with time zone, changed_at timestamp with time zone)
      returns boolean language sql stable set search_path = '' return issued_at > changed_at;
  drop function app.digests_of_documents(uuid, integer), app.keep_digest(uuid, bytea);
  revoke select (sha256), insert (sha256), update (sha256) on public.documents from
      ${REQUEST_ROLES}, taxclaims_definer;
  alter table public.documents drop column sha256 cascade;
  delete from pg_attribute where attrelid = 'public.documents'::regclass and attisdropped;
  update pg_class set relnatts = relnatts - 1 where oid = 'public.documents'::regclass;`;

/** The records of all months in one table again, with the rights that the one of many parts has. */
export const UNDO_AUDIT_LOG_BY_MONTH = `
${UNDO_LATER}
  drop table app.audit_days, app.refusals_at_month_end, audit.archives cascade;
  alter table audit_log.months detach partition audit_log.earlier;
  drop trigger audit_logs_append_only on audit_log.earlier;
  insert into audit_log.earlier select * from public.audit_logs;
  do $rights$
  declare
      command text;
  begin
      for command in
          select format(
              'create policy %I on audit_log.earlier for %s to %s%s%s',
              p.policyname, p.cmd, array_to_string(p.roles, ', '),
              ' using (' || p.qual || ')', ' with check (' || p.with_check || ')'
          )
          from pg_policies as p
          where p.tablename = 'audit_logs' and p.policyname not like '%housekeeper'
          union all
          select format('grant %s (%I) on audit_log.earlier to %s', x.privilege_type, a.attname, x.grantee::regrole)
          from pg_attribute as a
          cross join lateral aclexplode(a.attacl) as x
          where a.attrelid = 'public.audit_logs'::regclass and x.grantee <> 'taxclaims_housekeeper'::regrole
          union all
          select replace(pg_get_triggerdef(t.oid), ' ON public.audit_logs ', ' ON audit_log.earlier ')
          from pg_trigger as t
          where t.tgrelid = 'public.audit_logs'::regclass
      loop
          execute command;
      end loop;
  end
  $rights$;
  drop table public.audit_logs cascade;
  alter table audit_log.earlier owner to taxclaims_owner;
  alter table audit_log.earlier set schema public;
  alter table public.earlier rename to audit_logs;
  ${LOG_INDEXES.map((name) => `alter index public.earlier_${name} rename to audit_logs_${name};`).join(' ')}
  alter table public.audit_logs
      add constraint audit_logs_user_id_fkey foreign key (user_id) references public.users (id);
  drop function app.tend_audit_log(), app.place_audit_records(), app.count_audit_days(), app.audit_months(),
      app.is_grant_recorded(name, uuid);
  drop schema audit_log cascade;
  ${FORGET_APPLIED}`;

/**
 * The SQL that takes back what the latest migrations have made, for a database of a release before them; the rows of
 * app.migrations go by themselves. The rights to a column go first, since Postgres 15 keeps those of one that is dropped.
 */
export const UNDO_LATEST = `
${UNDO_AUDIT_LOG_BY_MONTH}
  drop table app.write_positions, app.present_epoch, app.primary_epochs cascade;
  drop function app.is_behind_creation(text, text, text);
  revoke select (token_digest, stored_digest), insert (token_digest, stored_digest) on app.created_clients
      from taxclaims_definer;
  alter table app.created_clients drop column token_digest, drop column stored_digest;
  drop table app.password_attempts cascade;
  revoke select (sessions_ended_at), update (sessions_ended_at) on public.users from taxclaims_definer;
  alter table public.users drop column sessions_ended_at, drop constraint users_subject_form;
  drop index public.users_email_key;
  create unique index users_email_key on public.users (lower(email));
  drop table app.identity_artifacts, app.login_attempts, app.identity_secret;
  drop table public.identity_changes cascade;
  drop table app.identity_management cascade;
  drop view app.claim_deadlines cascade;
  revoke select (assignee_id), insert (assignee_id), update (assignee_id) on public.reclamations from
      ${REQUEST_ROLES}, taxclaims_definer, taxclaims_reporting;
  alter table public.reclamations drop column assignee_id cascade;
  drop index public.reclamations_claim_deadline_idx, public.reclamations_response_due_at_idx,
      public.reclamations_court_deadline_idx;
  revoke select (search_text) on public.clients, public.sites, public.cadastres, public.reclamations from
      ${REQUEST_ROLES};
  drop function app.searchable(text) cascade;
  drop table app.client_documents cascade;
  drop trigger documents_copy on public.documents;
  drop table public.invoice_transitions cascade;
  revoke select (requires) on public.reclamation_transitions from ${REQUEST_ROLES};
  alter table public.reclamation_transitions drop column requires;`;
