-- Everybody who reads a claim may write notes on it. A client's users read only notes that are not internal. The firm's
-- employees read all notes and create tasks. Only the author changes a note. The author, the assignee, account managers
-- and ADMINs mark a task as done. The author or an ADMIN deletes a note.

-- No insert sets done_at, because a new task is not done. The trigger app.restrict_note_changes lets only the author of
-- a note change columns other than done_at, and prevents a CLIENT from creating a task.
select app.grant_columns(
    'public.notes', readers => 'taxclaims_client', writers => 'taxclaims_client',
    cr => '{id, client_id, reclamation_id, author_id}',
    cru => '{text, internal, due_on, assignee_id}',
    ru => '{done_at}',
    r => '{created_at, updated_at, xmin}'
);
grant delete on public.notes to taxclaims_client;

-- One policy with conditions on the role is faster than one policy for each role, because Postgres joins permissive
-- policies with `or`.
create policy notes_select_tenant on public.notes for select to taxclaims_client
    using (
        client_id = any ((select app.client_access())::uuid[])
        and (not internal or current_user <> 'taxclaims_client')
    );
create policy notes_insert_tenant on public.notes for insert to taxclaims_client
    with check (
        client_id = any ((select app.client_access())::uuid[])
        and author_id = (select app.user_id())
        and (current_user <> 'taxclaims_client' or (not internal and due_on is null))
    );
create policy notes_update_tenant on public.notes for update to taxclaims_client
    using (
        client_id = any ((select app.client_access())::uuid[])
        and (not internal or current_user <> 'taxclaims_client')
        and (
            author_id = (select app.user_id())
            or assignee_id = (select app.user_id())
            or current_user in ('taxclaims_account_manager', 'taxclaims_scoped_admin')
        )
    )
    with check (
        client_id = any ((select app.client_access())::uuid[])
        and (not internal or current_user <> 'taxclaims_client')
    );
create policy notes_delete_tenant on public.notes for delete to taxclaims_client
    using (
        client_id = any ((select app.client_access())::uuid[])
        and (not internal or current_user <> 'taxclaims_client')
        and (author_id = (select app.user_id()) or current_user = 'taxclaims_scoped_admin')
    );

-- Even an ADMIN with all clients cannot write a note in another user's name.
create policy notes_insert_admin on public.notes for insert to taxclaims_admin
    with check (author_id = (select app.user_id()));

-- Of the functions of taxclaims_definer, only the triggers of db/functions/definer/assignees.sql change notes: they
-- remove the assignee from open tasks. app.impossible_rows reads the times.
grant select (id, client_id, reclamation_id, internal, assignee_id, done_at, created_at, updated_at), update (assignee_id)
on public.notes to taxclaims_definer;
create policy notes_select_definer on public.notes for select to taxclaims_definer using (true);
create policy notes_update_definer on public.notes for update to taxclaims_definer
    using (assignee_id is not null and done_at is null)
    with check (assignee_id is null and pg_catalog.pg_trigger_depth() > 0);
