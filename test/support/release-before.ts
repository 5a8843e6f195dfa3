/**
 * The SQL that takes back what the latest migrations have made, for a database of a release before them; the rows of
 * app.migrations go by themselves. The rights to a column go first, since Postgres 15 keeps those of one that is dropped.
 */
export const UNDO_LATEST = `
  drop table app.client_documents cascade;
  drop trigger documents_copy on public.documents;
  drop table public.invoice_transitions cascade;
  revoke select (requires) on public.reclamation_transitions from
      taxclaims_admin, taxclaims_scoped_admin, taxclaims_account_manager, taxclaims_tax_specialist, taxclaims_client;
  alter table public.reclamation_transitions drop column requires;`;
