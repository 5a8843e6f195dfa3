-- What the identity provider keeps is read and written by its functions alone: no request, no report and no auditor
-- learns who is logged in.

grant select (
    kind,
    id_digest,
    payload,
    account,
    grant_id,
    uid,
    expires_at,
    consumed_at
) on app.identity_artifacts to taxclaims_definer;

grant insert (
    kind,
    id_digest,
    payload,
    account,
    grant_id,
    uid,
    expires_at
) on app.identity_artifacts to taxclaims_definer;

grant update (
    payload,
    account,
    grant_id,
    uid,
    expires_at,
    consumed_at
) on app.identity_artifacts to taxclaims_definer;

grant delete on app.identity_artifacts to taxclaims_definer;

create policy identity_artifacts_select_definer on app.identity_artifacts
    for select to taxclaims_definer
    using (true);

create policy identity_artifacts_insert_definer on app.identity_artifacts
    for insert to taxclaims_definer
    with check (true);

create policy identity_artifacts_update_definer on app.identity_artifacts
    for update to taxclaims_definer
    using (true)
    with check (true);

create policy identity_artifacts_delete_definer on app.identity_artifacts
    for delete to taxclaims_definer
    using (true);
