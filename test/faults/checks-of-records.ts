import type { Checks } from './checks.ts';

/**
 * An audit record’s date is allowed to differ from the request’s time by this much. If the database was unreachable,
 * the service stored the record later.
 */
const TOLERANCE = '2 seconds';

/** These checks compare the audit log with the requests that a load test sent. */
export const RECORDS: Checks = {
  'each refused request has a refusal record': `
    select format('%s answered %s: %s records', a.operation, a.status, count(l.id))
    from attempts as a
    left join records as l on l.request_id = a."requestId" and not l.success
    where a.status in (401, 403)
    group by a.serial, a.attempt, a.operation, a.status
    having count(l.id) <> 1`,
  'each refusal record belongs to a request that was refused or got no answer': `
    select format('%s by %s: %s', l.action, l.actor, l.error_message)
    from records as l
    left join attempts as a on a.agent = l.user_agent
    where not l.success
        and (
            a.serial is null
            or (not a.is_unknown and (a.status not in (401, 403) or a."requestId" <> l.request_id))
        )`,
  'each refusal record has the date of the refusal': `
    select format('%s at %s is dated %s', a.operation, to_timestamp(a.at / 1000), l.created_at)
    from records as l
    join attempts as a on a."requestId" = l.request_id
    where not l.success
        and l.created_at not between to_timestamp(a.at / 1000) - interval '${TOLERANCE}'
            and to_timestamp((a.at + a.ms) / 1000) + interval '${TOLERANCE}'`,
  'no refused request has two refusal records': `
    select format('%s: %s records', user_agent, count(*))
    from records
    where not success
    group by user_agent
    having count(*) > 1`,
  'each acknowledged write has one success record': `
    select format('%s %s: %s records', r.operation, r.record, count(l.id))
    from requests as r
    left join records as l
        on l.success
        and l.resource_id = r.record
        and l.resource_type = r."table"
        and split_part(l.user_agent, '.', 1) = 'faults/' || r.serial
    where r.is_acknowledged and r.kind in ('create', 'change', 'move', 'delete')
    group by r.serial, r.operation, r.record
    having count(l.id) <> 1`,
  'each success record belongs to a request that succeeded or got no answer': `
    select format('%s by %s of %s', l.action, l.actor, l.resource_id)
    from records as l
    left join attempts as a on a.agent = l.user_agent
    where l.success and (a.serial is null or (not a.is_unknown and a.status not between 200 and 299))`,
};
