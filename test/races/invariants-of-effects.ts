import type { Invariants } from './invariants.ts';

/** What a request stored, and what the audit log says of it. `resource` is what an audit record calls the row. */
const RESOURCE = `(coalesce(o.row ->> 'id', o.row ->> 'partner_id', o.row_id))`;

export const EFFECTS: Invariants = {
  'what is refused or fails stores nothing': `
    select format('%s answered %s and wrote %s %s', o.endpoint, o.status, o.command, o.table_name)
    from own as o
    where o.status >= 400
    union all
    select format('%s answered %s and has a record of success', r.endpoint, r.status)
    from requests as r
    join records as a on a.request_id = r.request_id and a.success
    where r.status >= 400`,

  'what succeeds has an effect': `
    select format('%s answered %s and wrote nothing', r.endpoint, r.status)
    from requests as r
    where r.status < 400
        and not r.may_write_nothing
        and not exists (select from own as o where o.request_id = r.request_id)`,

  'a 401 or 403 leaves one record of refusal, anything else none': `
    select format('%s answered %s and left %s records of refusal', r.endpoint, r.status, count(a.id))
    from requests as r
    left join records as a on a.request_id = r.request_id and not a.success
    group by r.request_id, r.endpoint, r.status
    having count(a.id) <> case when r.status in (401, 403) then 1 else 0 end`,

  'each row that a request writes by itself has one record of success': `
    select format('%s %s: %s writes, %s records', w.table_name, w.resource, coalesce(w.number, 0), coalesce(a.number, 0))
    from (
        select o.request_id, o.table_name, ${RESOURCE} as resource, count(*) as number
        from own as o
        where not o.nested
        group by 1, 2, 3
    ) as w
    full join (
        select l.request_id, l.resource_type as table_name, l.resource_id::text as resource, count(*) as number
        from records as l
        where l.success
        group by 1, 2, 3
    ) as a using (request_id, table_name, resource)
    where w.number is distinct from a.number`,

  'a change in a version is of that version': `
    select format('%s answered %s and changed the version of %s', r.endpoint, r.status, o.before ->> 'updated_at')
    from requests as r
    join own as o on o.request_id = r.request_id and not o.nested
    where r.version <> (o.before ->> 'updated_at')::timestamptz`,
};
