-- Administrators read which changes of user rights wait for the identity provider. Only the functions that send changes
-- of rights write identity_changes.

-- The grant omits the column `claim`, which only the sending instance needs, and the column erased_subject, which
-- identifies an erased user.
grant select (
    id, user_id, request_id, actor, role, client_access, is_active, ends_tokens, attempts, last_error, next_attempt_at,
    created_at, delivered_at, state
) on public.identity_changes to taxclaims_scoped_admin;
-- An ADMIN with a list of clients sees the changes of users whom the ADMIN may change, and only if all clients in the
-- change are on the list.
create policy identity_changes_select_scoped_admin on public.identity_changes for select to taxclaims_scoped_admin
    using (
        client_access <@ (select app.client_access())::uuid[]
        and (role <> 'ADMIN' or client_access <> '{}')
        and exists (
            select
            from public.users as u
            where u.id = identity_changes.user_id
                and u.client_access <@ (select app.client_access())::uuid[]
                and (u.role <> 'ADMIN' or u.client_access <> '{}')
        )
    );

grant
    select (
        id, user_id, actor, role, client_access, is_active, ends_tokens, attempts, next_attempt_at, claim, claimed_until,
        created_at, delivered_at, state, erased_subject
    ),
    insert (user_id, request_id, actor, role, client_access, is_active, ends_tokens, erased_subject),
    update (
        actor, ends_tokens, attempts, last_error, next_attempt_at, claim, claimed_until, delivered_at, erased_subject
    ),
    delete
on public.identity_changes to taxclaims_definer;
create policy identity_changes_select_definer on public.identity_changes for select to taxclaims_definer using (true);
create policy identity_changes_insert_definer on public.identity_changes for insert to taxclaims_definer
    with check (delivered_at is null);
create policy identity_changes_update_definer on public.identity_changes for update to taxclaims_definer
    using (true)
    with check (true);
create policy identity_changes_delete_definer on public.identity_changes for delete to taxclaims_definer
    using (
        delivered_at < pg_catalog.now() - interval '90 days'
        or not exists (select from app.identity_management as m where m.managed_since is not null)
    );

-- The view audit.finding_identity_change_undelivered needs the columns created_at and delivered_at. An auditor sees
-- only the dates of a change, neither the user nor the rights.
grant select (created_at, delivered_at) on public.identity_changes to taxclaims_auditor;
create policy identity_changes_select_auditor on public.identity_changes for select to taxclaims_auditor
    using (delivered_at is null and created_at < pg_catalog.now() - interval '1 day');
