-- An ADMIN reads the audit records of the clients that the ADMIN may see. Auditors read only the records of refused
-- requests. Functions add audit records, nobody deletes an audit record, and only the erasure of a user changes one. No
-- request role reads the column `changed`: app.changes_of returns an old and new value to callers who may read the
-- column that changed.

grant select (
    id, user_id, action, resource_type, resource_id, client_context, success, error_message, ip_address, user_agent,
    created_at, request_id, actor
) on public.audit_logs to taxclaims_scoped_admin, taxclaims_auditor;
-- The view audit.changes needs a grant on the column `changed`, but the policy for auditors hides all successful
-- writes.
grant select (changed) on public.audit_logs to taxclaims_auditor;
create policy audit_logs_select_tenant on public.audit_logs for select to taxclaims_scoped_admin
    using (client_context = any ((select app.client_access())::uuid[]));
create policy audit_logs_select_auditor on public.audit_logs for select to taxclaims_auditor
    using (not success);

grant
    select (
        id, user_id, action, resource_type, resource_id, client_context, success, error_message, ip_address, user_agent,
        created_at, request_id, actor, oldest_writer, changed, writer, kind, internal
    ),
    insert (
        id, user_id, action, resource_type, resource_id, client_context, success, error_message, ip_address, user_agent,
        created_at, request_id, actor, oldest_writer, changed, writer, kind, internal
    )
on public.audit_logs to taxclaims_definer;
create policy audit_logs_select_definer on public.audit_logs for select to taxclaims_definer using (true);
-- Triggers add the records of successful writes. No trigger adds the record of a grant of all clients to a reporting
-- login, because a grant of all clients writes no table row.
create policy audit_logs_insert_definer on public.audit_logs for insert to taxclaims_definer
    with check (
        not success
        or pg_catalog.pg_trigger_depth() > 0
        or resource_type = 'reporting.grants'
    );

-- npm run audit:archive reads the audit log as taxclaims_housekeeper, which only the database administrator can become.
grant select (
    id, user_id, action, resource_type, resource_id, client_context, success, error_message, ip_address, user_agent,
    created_at, request_id, actor, oldest_writer, changed, writer, kind, internal
) on public.audit_logs to taxclaims_housekeeper;
create policy audit_logs_select_housekeeper on public.audit_logs for select to taxclaims_housekeeper using (true);

-- app.redact_user removes the name and the email of an erased user from the records of changes of that user. The update
-- policy allows no other change of the audit log.
grant update (changed) on public.audit_logs to taxclaims_housekeeper;
create policy audit_logs_update_housekeeper on public.audit_logs for update to taxclaims_housekeeper
    using (resource_type = 'users' and changed ?| '{email,name}' and pg_catalog.pg_trigger_depth() > 0)
    with check (
        coalesce(changed -> 'email', '[null, null]') = '[null, null]'
        and coalesce(changed -> 'name', '[null, null]') = '[null, null]'
    );

-- The view reporting.changes_by_month counts the successful writes of granted clients, except writes to users. The
-- column writer is null in the record of a refused request.
create policy audit_logs_select_reporting on public.audit_logs for select to taxclaims_reporting
    using (
        writer is not null and resource_type <> 'users'
        and client_context in (select g.client_id from reporting.grants as g where g.login = session_user)
    );
create policy audit_logs_select_reporting_few on public.audit_logs as restrictive for select to taxclaims_reporting_few
    using (
        client_context = any (
            (select array(select g.client_id from reporting.grants as g where g.login = session_user))::uuid[]
        )
    );
create policy audit_logs_select_reporting_all on public.audit_logs for select to taxclaims_reporting_all
    using (writer is not null and resource_type <> 'users' and client_context is not null);
