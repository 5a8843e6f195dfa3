const REQUEST_ROLES =
  'taxclaims_admin, taxclaims_scoped_admin, taxclaims_account_manager, taxclaims_tax_specialist, taxclaims_client';

/**
 * The SQL that takes back what the latest migrations have made, for a database of a release before them; the rows of
 * app.migrations go by themselves. The rights to a column go first, since Postgres 15 keeps those of one that is dropped.
 */
export const UNDO_LATEST = `
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
