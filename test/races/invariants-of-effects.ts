import type { Invariants } from './invariants.ts';

/** SQL that returns the id by which the audit records of a row name this row. */
const RESOURCE = `(coalesce(o.row ->> 'id', o.row ->> 'partner_id', o.row_id))`;

/**
 * These checks run after simultaneous requests. They compare the response to each request with the rows and the audit
 * records that the request wrote.
 */
export const EFFECTS: Invariants = {
  'a request that gets 400 or more stores nothing': `
    select format('%s answered %s and wrote %s %s', o.endpoint, o.status, o.command, o.table_name)
    from own as o
    where o.status >= 400
    union all
    select format('%s answered %s and has a record of success', r.endpoint, r.status)
    from requests as r
    join records as a on a.request_id = r.request_id and a.success
    where r.status >= 400`,

  'a request that gets less than 400 writes a row': `
    select format('%s answered %s and wrote nothing', r.endpoint, r.status)
    from requests as r
    where r.status < 400
        and not r.may_write_nothing
        and not exists (select from own as o where o.request_id = r.request_id)`,

  'a request that gets 401 or 403 has one audit record of the refusal, any other request has none': `
    select format('%s answered %s and left %s records of refusal', r.endpoint, r.status, count(a.id))
    from requests as r
    left join records as a on a.request_id = r.request_id and not a.success
    group by r.request_id, r.endpoint, r.status
    having count(a.id) <> case when r.status in (401, 403) then 1 else 0 end`,

  'each row that a request changes, except by a cascade, has one audit record of success': `
    select format('%s %s: %s writes, %s records', w.table_name, w.resource, coalesce(w.number, 0), coalesce(a.number, 0))
    from (
        select o.request_id, o.table_name, ${RESOURCE} as resource, count(*) as number
        from own as o
        where not o.nested and o.before is distinct from o.after
        group by 1, 2, 3
    ) as w
    full join (
        select l.request_id, l.resource_type as table_name, l.resource_id::text as resource, count(*) as number
        from records as l
        where l.success
        group by 1, 2, 3
    ) as a using (request_id, table_name, resource)
    where w.number is distinct from a.number`,

  // The audit record of a user’s change has the clients that were added and those that were removed, and not the whole
  // list. The check therefore skips the column client_access.
  'the audit record of a change has the old and the new value of each changed column': `
    select format('%s of %s %s changed %s', o.endpoint, o.table_name, o.row_id, c.changed)
    from own as o
    cross join lateral (
        select jsonb_object_agg(
            k.key,
            case
                when o.table_name = 'users' and k.key in ('email', 'name') and exists (
                    select from public.users as u where u.id = (o.row ->> 'id')::uuid and u.erased_at is not null
                ) then '[null, null]'
                else jsonb_build_array(k.value, o.after -> k.key)
            end
        ) as changed
        from jsonb_each(o.before) as k
        join pg_attribute as a on a.attrelid = ('public.' || o.table_name)::regclass and a.attname = k.key
        where k.value <> o.after -> k.key
            and a.attgenerated = ''
            and k.key not in ('updated_at', 'client_access')
            and has_column_privilege('taxclaims_admin', a.attrelid, a.attnum, 'SELECT')
    ) as c
    where o.command = 'UPDATE'
        and not o.nested
        and c.changed is not null
        and not exists (
            select
            from records as r
            where r.request_id = o.request_id
                and r.success
                and r.resource_type = o.table_name
                and r.resource_id = (o.row ->> 'id')::uuid
                and r.changed - 'client_access' = c.changed
        )`,

  'a change with a version in If-Match changes only that version': `
    select format('%s answered %s and changed the version of %s', r.endpoint, r.status, o.before ->> 'updated_at')
    from requests as r
    join own as o on o.request_id = r.request_id and not o.nested
    where r.version <> (o.before ->> 'updated_at')::timestamptz`,
};
