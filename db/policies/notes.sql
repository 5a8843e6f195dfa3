-- Everybody who reads a claim writes notes on it and reads those that are not internal; the firm's people read all and
-- make tasks. The author changes a note, the assignee and managers end a task, the author or an ADMIN deletes.

-- A task begins undone. app.keep_note holds who is not the author to done_at, and a CLIENT to notes that are no tasks.
select app.grant_columns(
    'public.notes', readers => 'taxclaims_client', writers => 'taxclaims_client',
    cr => '{id, client_id, reclamation_id, author_id}',
    cru => '{text, internal, due_on, assignee_id}',
    ru => '{done_at}',
    r => '{created_at, updated_at, xmin}'
);
grant delete on public.notes to taxclaims_client;

-- The role only narrows what client_id has found: a permissive policy for each role would be an `or`.
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

-- Nobody writes in another's name, not even an ADMIN without a list.
create policy notes_insert_admin on public.notes for insert to taxclaims_admin
    with check (author_id = (select app.user_id()));

-- For app.locate, app.narrowed and app.impossible_rows. app.release_claims takes the assignee from open tasks.
grant select (id, client_id, internal, assignee_id, done_at), update (assignee_id) on public.notes to taxclaims_definer;
create policy notes_select_definer on public.notes for select to taxclaims_definer using (true);
create policy notes_update_definer on public.notes for update to taxclaims_definer
    using (assignee_id is not null and done_at is null)
    with check (assignee_id is null and pg_catalog.pg_trigger_depth() > 0);
