-- The functions of this file list and erase the data stored about a person. See docs/decisions/personal-data.md.

create or replace function app.person(target uuid)
    returns uuid
    language plpgsql stable security definer set search_path = ''
as $function$
declare
    clients constant uuid[] := app.client_access();
    stored record;
begin
    select u.id, u.client_access into stored from public.users as u where u.id = person.target;
    if not found
        or stored.id = app.user_id()
        or pg_catalog.current_setting('role') = 'taxclaims_admin'
        or (app.role() = 'ADMIN' and stored.client_access <@ clients and stored.client_access <> '{}')
    then
        return stored.id;
    end if;
    raise exception 'the caller may not see the personal data of user %', person.target using errcode = 'insufficient_privilege';
end
$function$;

comment on function app.person(uuid) is
    'Returns the id of the user whose personal data is requested; null if that user is not stored. Refuses (42501) a '
    'caller who requests the data of another user, except an ADMIN who may change that user.';
grant execute on function app.person(uuid) to taxclaims_client, taxclaims_admin;

-- app.kept_on returns no data about other people, and no text with the id of a client that the caller may not see. For
-- an ADMIN with a list of clients, app.kept_on leaves out audit records that this ADMIN cannot read, and the names and
-- emails that the user had before the user shared a client with this ADMIN. Only an ADMIN sees why a request was
-- refused.
create or replace function app.kept_on(
    target uuid, source text, before timestamp with time zone, behind uuid, most bigint
)
    returns table (id uuid, at timestamp with time zone, data jsonb)
    language plpgsql stable security definer set search_path = ''
as $function$
declare
    person constant uuid := app.person(kept_on.target);
    person_subject constant text := (select u.subject from public.users as u where u.id = person);
    is_admin constant boolean := app.role() = 'ADMIN';
    sees_every_client constant boolean := pg_catalog.current_setting('role') = 'taxclaims_admin';
    sees_only_listed_clients constant boolean := is_admin and not sees_every_client and person <> app.user_id();
    clients constant uuid[] := app.client_access();
    shared_since constant timestamp with time zone := case
        when sees_only_listed_clients then app.shared_since(person)
        else '-infinity'
    end;
begin
    case kept_on.source
        when 'audit_logs.actor' then
            -- An audit record without a user id was written before the user was stored.
            return query
            select
                a.id, a.created_at,
                pg_catalog.jsonb_build_object(
                    'actor', a.actor, 'action', app.mask_client_ids(a.action), 'resource_type', a.resource_type,
                    'resource_id', nullif(a.resource_id, hidden.client_id),
                    'success', a.success, 'ip_address', pg_catalog.host(a.ip_address), 'user_agent', a.user_agent,
                    'request_id', a.request_id
                )
            from public.audit_logs as a
            left join lateral (
                select coalesce(a.client_context, case a.resource_type when 'clients' then a.resource_id end) as client_id
            ) as hidden on not sees_every_client and hidden.client_id <> all (clients)
            where a.actor = person_subject and a.user_id is null
                and (not sees_only_listed_clients or a.client_context = any (clients))
                and (a.created_at, a.id) < (kept_on.before, kept_on.behind)
            order by a.created_at desc, a.id desc
            limit kept_on.most;
        when 'audit_logs.user_id' then
            return query
            select
                a.id, a.created_at,
                pg_catalog.jsonb_build_object(
                    'actor', a.actor, 'action', app.mask_client_ids(a.action), 'resource_type', a.resource_type,
                    'resource_id', nullif(a.resource_id, hidden.client_id),
                    'client_context', nullif(a.client_context, hidden.client_id),
                    'success', a.success,
                    'error_message', case
                        when is_admin and hidden.client_id is null then app.mask_client_ids(a.error_message)
                    end,
                    'ip_address', pg_catalog.host(a.ip_address), 'user_agent', a.user_agent, 'request_id', a.request_id
                )
            from public.audit_logs as a
            left join lateral (
                select coalesce(a.client_context, case a.resource_type when 'clients' then a.resource_id end) as client_id
            ) as hidden on not sees_every_client and hidden.client_id <> all (clients)
            where a.user_id = person
                and (not sees_only_listed_clients or a.client_context = any (clients))
                and (a.created_at, a.id) < (kept_on.before, kept_on.behind)
            order by a.created_at desc, a.id desc
            limit kept_on.most;
        when 'audit_logs.resource_id' then
            return query
            select
                a.id, a.created_at,
                pg_catalog.jsonb_build_object(
                    'action', app.mask_client_ids(a.action),
                    'changed', (
                        select pg_catalog.jsonb_object_agg(c.key, s.value)
                        from pg_catalog.jsonb_each(a.changed) as c
                        cross join lateral (
                            select case c.key
                                when 'client_access' then app.keep_own_clients(c.value)
                                else c.value
                            end as value
                        ) as s
                        where s.value <> '[[], []]' and (c.key = 'client_access' or a.created_at > shared_since)
                    )
                )
            from public.audit_logs as a
            where a.resource_id = person and a.resource_type = 'users' and a.success
                and (a.created_at, a.id) < (kept_on.before, kept_on.behind)
            order by a.created_at desc, a.id desc
            limit kept_on.most;
        when 'created_clients.subject' then
            return query
            select c.client_id, c.created_at, '{}'::jsonb
            from app.created_clients as c
            where c.subject = person_subject and (sees_every_client or c.client_id = any (clients))
                and (c.created_at, c.client_id) < (kept_on.before, kept_on.behind)
            order by c.created_at desc, c.client_id desc
            limit kept_on.most;
        when 'document_links.user_id' then
            return query
            select l.document_id, l.issued_at, pg_catalog.jsonb_build_object('expires_at', l.expires_at)
            from app.document_links as l
            where l.user_id = person and (not sees_only_listed_clients or l.client_id = any (clients))
                and (l.issued_at, l.document_id) < (kept_on.before, kept_on.behind)
            order by l.issued_at desc, l.document_id desc
            limit kept_on.most;
        when 'idempotency_keys.subject' then
            return query
            select k.resource_id, k.created_at, pg_catalog.jsonb_build_object('resource_type', k.resource_type)
            from app.idempotency_keys as k
            where k.subject = person_subject and not sees_only_listed_clients
                and (sees_every_client or k.resource_type <> 'clients' or k.resource_id = any (clients))
                and (k.created_at, k.resource_id) < (kept_on.before, kept_on.behind)
            order by k.created_at desc, k.resource_id desc
            limit kept_on.most;
        when 'identity_changes.user_id' then
            return query
            select
                c.id, c.created_at,
                pg_catalog.jsonb_build_object(
                    'role', c.role,
                    'client_access', array(
                        select l.id
                        from pg_catalog.unnest(c.client_access) as l (id)
                        where sees_every_client or l.id = any (clients)
                    ),
                    'is_active', c.is_active, 'state', c.state,
                    'delivered_at', c.delivered_at, 'erased_subject', c.erased_subject
                )
            from public.identity_changes as c
            where c.user_id = person and (not sees_only_listed_clients or c.client_access <@ clients)
                and (c.created_at, c.id) < (kept_on.before, kept_on.behind)
            order by c.created_at desc, c.id desc
            limit kept_on.most;
        when 'password_attempts.user_id' then
            return query
            select p.user_id, u.created_at, pg_catalog.jsonb_build_object('attempted_at', p.attempted_at)
            from app.password_attempts as p
            join public.users as u on u.id = p.user_id
            where p.user_id = person and (u.created_at, u.id) < (kept_on.before, kept_on.behind);
        when 'reminders.user_id' then
            return query
            select
                r.user_id, r.day::timestamp with time zone,
                pg_catalog.jsonb_build_object(
                    'state', r.state, 'told_until', r.told_until, 'attempts', r.attempts,
                    -- A mail server's answer may repeat the address to which the mail went.
                    'last_error', case when r.day > shared_since then r.last_error end,
                    'ended_at', r.ended_at
                )
            from app.reminders as r
            where r.user_id = person and (r.day::timestamp with time zone, r.user_id) < (kept_on.before, kept_on.behind)
            order by r.day desc
            limit kept_on.most;
        when 'users.id' then
            return query
            select
                u.id, u.created_at,
                pg_catalog.jsonb_build_object(
                    'email', u.email, 'name', u.name, 'role', u.role, 'client_access', u.client_access,
                    'is_active', u.is_active, 'sub', u.subject, 'has_password', u.password_hash <> '!',
                    'updated_at', u.updated_at, 'access_changed_at', u.access_changed_at,
                    'sessions_ended_at', u.sessions_ended_at, 'erased_at', u.erased_at, 'language', u.language,
                    'reminder_kinds', u.reminder_kinds, 'reminders_only_mine', u.reminders_only_mine,
                    'has_calendar', u.calendar_digest is not null
                )
            from public.users as u
            where u.id = person and (u.created_at, u.id) < (kept_on.before, kept_on.behind);
    end case;
end
$function$;

comment on function app.kept_on(uuid, text, timestamp with time zone, uuid, bigint) is
    'Returns the rows of one table that are about a person, the newest first, for GET /api/users/{id}/personal-data. '
    'The parameter `source` names a table and the column that identifies the person, such as audit_logs.actor.';
grant execute on function app.kept_on(uuid, text, timestamp with time zone, uuid, bigint) to taxclaims_client, taxclaims_admin;

-- When app.erase_user sets erased_at, the trigger of app.forget_person erases the user's data in other tables.
create or replace function app.erase_user(target uuid)
    returns void
    language plpgsql volatile security definer set search_path = ''
as $function$
declare
    stored record;
begin
    -- Waits for the user's running requests, which app.hold_caller lets run until their commit.
    select u.id, u.subject, u.erased_at into stored from public.users as u where u.id = erase_user.target for update;
    if not found then
        raise exception 'no user %', erase_user.target using errcode = 'TX404';
    end if;
    perform app.person(stored.id);
    if stored.erased_at is not null then
        return;
    end if;
    update public.users as u
    set
        email = u.id::text || '@erased.invalid',
        name = 'Utilisateur effacé',
        password_hash = '!',
        role = 'CLIENT',
        client_access = '{}',
        is_active = false,
        language = default,
        reminder_kinds = default,
        reminders_only_mine = default,
        subject = app.erased_subject(coalesce(u.subject, u.id::text)),
        erased_at = pg_catalog.clock_timestamp()
    where u.id = stored.id;
end
$function$;

comment on function app.erase_user(uuid) is
    'Removes name, email, subject, password and rights of a user and keeps the id. Raises TX404 if no user has the id. '
    'Raises TX409 if the user is the caller or the last ADMIN without a list of clients.';
grant execute on function app.erase_user(uuid) to taxclaims_scoped_admin, taxclaims_admin;

-- The trigger of app.forget_person runs after the trigger users_audit_write, so it also removes name and email from the
-- audit record of the erasure.
create or replace function app.forget_person()
    returns trigger
    language plpgsql volatile security definer set search_path = ''
as $function$
declare
    request_settings constant record := app.read_request_settings();
    is_managed boolean;
begin
    -- FOR SHARE makes app.end_identity_management wait until the commit.
    select m.managed_since is not null into is_managed from app.identity_management as m for share;
    if is_managed and old.subject is not null then
        insert into public.identity_changes (
            user_id, request_id, actor, role, client_access, is_active, ends_tokens, erased_subject
        )
        values (
            new.id, request_settings.request_id, coalesce(request_settings.actor, session_user), new.role, new.client_access, false, true, old.subject
        );
    end if;
    update public.identity_changes as c set actor = new.id::text where c.actor = old.subject;
    -- The previous release stored the subject of a user who changed the status of a claim.
    update public.reclamation_history as h
    set actor = new.id::text
    where h.changed_by = new.id and h.actor <> new.id::text;
    delete from app.created_clients as c where c.subject = old.subject;
    delete from app.document_links as l where l.user_id = new.id;
    delete from app.idempotency_keys as k
    where k.subject = old.subject or (k.resource_type = 'users' and k.resource_id = new.id);
    delete from app.password_attempts as p where p.user_id = new.id;
    delete from app.reminders as r where r.user_id = new.id;
    perform app.redact_user(new.id);
    return null;
end
$function$;

comment on function app.forget_person() is
    'Trigger of users: the erasure of a user also removes the subject from other tables, and the name and email from '
    'the audit log.';
grant execute on function app.forget_person() to taxclaims_owner;
