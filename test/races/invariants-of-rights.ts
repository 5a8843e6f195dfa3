import type { Invariants } from './invariants.ts';

/** These checks run after simultaneous requests that change or use the rights of users, and check these rights. */
export const RIGHTS: Invariants = {
  'no login with an older token undoes a change of the user’s rights by another user': `
    select format(
        '%s made of user %s %s %s, and %s of %s %s after it', c.endpoint, c.row_id, c.after ->> 'role',
        c.after ->> 'client_access', l.endpoint, l.after ->> 'role', l.after ->> 'client_access'
    )
    from changes as c
    join changes as l on l.row_id = c.row_id and l.id > c.id
    where c.by_another and c.changed_rights and l.endpoint = 'POST /api/auth/login' and l.changed_list`,

  'no user creates a client after another user has changed the creator’s rights': `
    select format(
        '%s made of user %s %s %s, and %s of %s after it', c.endpoint, c.row_id, c.after ->> 'role',
        c.after ->> 'client_access', l.endpoint, l.after ->> 'client_access'
    )
    from changes as c
    join changes as l on l.row_id = c.row_id and l.id > c.id
    where c.by_another and c.changed_rights and l.endpoint = 'POST /api/clients'`,

  'no user changes another user after somebody else has changed the rights of the first user': `
    select format(
        '%s made of user %s %s %s, and they did %s to user %s after it', c.endpoint, c.row_id, c.after ->> 'role',
        c.after ->> 'client_access', l.endpoint, l.row_id
    )
    from changes as c
    join changes as l on l.subject = c.after ->> 'subject' and l.request_id <> c.request_id and l.id > c.id
    where c.by_another and c.changed_rights and l.by_another`,

  'no login undoes a login with a newer token': `
    select format('user %s: %s after %s', c.row_id, l.after ->> 'client_access', c.after ->> 'client_access')
    from changes as c
    join changes as l on l.row_id = c.row_id and l.id > c.id
    where c.endpoint = 'POST /api/auth/login'
        and l.endpoint = 'POST /api/auth/login'
        and c.changed_list
        and l.changed_list
        and l.issued_at < c.issued_at`,

  'the creator of a client has access to the client, unless another user has changed the creator’s rights since': `
    select format('user %s created %s and has %s', u.id, r.created, u.client_access)
    from requests as r
    join public.users as u on u.subject = r.subject
    where r.created is not null
        and not r.is_unlimited
        and r.created <> all (u.client_access)
        and not exists (
            select
            from changes as c
            join changes as g on g.row_id = c.row_id and g.id < c.id
            where c.row_id = u.id::text and c.by_another and g.request_id = r.request_id
        )`,

  'an assignment, a withdrawal and a creation of a client change only that client of a user’s list': `
    select format('%s of %s made %s of %s', c.endpoint, coalesce(c.client, r.created), c.after ->> 'client_access', c.before ->> 'client_access')
    from changes as c
    join requests as r on r.request_id = c.request_id
    where coalesce(c.client, r.created) is not null
        and (
            c.before -> 'role' <> c.after -> 'role'
            or exists (
                select
                from jsonb_array_elements_text(c.before -> 'client_access') as b (id)
                full join jsonb_array_elements_text(c.after -> 'client_access') as a (id) on a.id = b.id
                where (a.id is null or b.id is null) and coalesce(a.id, b.id)::uuid <> coalesce(c.client, r.created)
            )
        )`,

  // A request is allowed to write a user’s row twice: first the new rights, and then the date of the change of rights.
  'a change of rights is dated after the wait for a lock': `
    select format('%s of user %s is dated %s, the lock was held until %s', c.endpoint, c.row_id, l.dated_at, $3::text)
    from changes as c
    cross join lateral (
        select max((d.after ->> 'access_changed_at')::timestamptz) as dated_at
        from changes as d
        where d.request_id = c.request_id and d.row_id = c.row_id
    ) as l
    where c.by_another
        and c.changed_rights
        and c.at > $3::text::timestamptz
        and l.dated_at < $3::text::timestamptz`,

  'a user who has logged in is stored': `
    select format('%s has logged in and is not stored', r.subject)
    from requests as r
    where r.endpoint = 'POST /api/auth/login'
        and r.status = 200
        and not exists (select from public.users as u where u.subject in (r.subject, app.erased_subject(r.subject)))`,

  'an erased user is not stored again': `
    select format('user %s has the subject of %s, who was erased', u.id, e.id)
    from public.users as e
    join public.users as u on e.subject = app.erased_subject(u.subject)
    where e.erased_at is not null`,

  'no audit record has a name or an email of an erased user': `
    select format('record %s of user %s has %s', a.id, a.resource_id, a.changed)
    from public.users as u
    join public.audit_logs as a on a.resource_id = u.id and a.resource_type = 'users'
    where u.erased_at is not null
        and (a.changed -> 'name' <> '[null, null]' or a.changed -> 'email' <> '[null, null]')`,

  'the assignee of a claim or a task has access to its client': `
    select format('%s %s is assigned to %s, who has %s', r.kind, r.id, u.id, u.client_access)
    from (
        select 'claim' as kind, c.id, c.client_id, c.assignee_id from public.reclamations as c
        union all
        select 'task', n.id, n.client_id, n.assignee_id from public.notes as n where n.done_at is null
    ) as r
    join public.users as u on u.id = r.assignee_id
    where r.client_id <> all (u.client_access) and not (u.role = 'ADMIN' and u.client_access = '{}')`,

  'no user without rights has a calendar': `
    select format('user %s, %s of %s', u.id, u.role, u.client_access)
    from public.users as u
    where u.calendar_digest is not null and (not u.is_active or (u.role <> 'ADMIN' and u.client_access = '{}'))`,

  'an active ADMIN of all clients remains': `
    select 'no ADMIN remains'
    where not exists (
        select
        from public.users as u
        where u.role = 'ADMIN' and u.is_active and u.client_access = '{}'
    )`,
};
