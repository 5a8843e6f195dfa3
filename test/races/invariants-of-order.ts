import type { Invariants } from './invariants.ts';

/** The columns of the table `users` that the API never returns. */
const UNVERSIONED = `'{access_changed_at,sessions_ended_at,calendar_digest,language,reminder_kinds,reminders_only_mine}'::text[]`;

/**
 * These checks run after simultaneous requests. They compare dates with the order of writes, which the ids in the
 * test’s own log of writes show.
 */
export const ORDER: Invariants = {
  'each move of a claim starts where the move before it ended, and the last ends at the claim’s status': `
    select format('%s: %s', p.reclamation_id, string_agg(p.step, ', ' order by p.changed_at, p.id))
    from (
        select
            h.*,
            format('%s to %s at %s', h.from_status, h.to_status, h.changed_at) as step,
            h.from_status <> lag(h.to_status) over w
                or h.changed_at <= lag(h.changed_at) over w
                or (lead(h.id) over w is null and h.to_status <> c.status) as is_wrong
        from public.reclamation_history as h
        join public.reclamations as c on c.id = h.reclamation_id
        where h.client_id = $2
        window w as (partition by h.reclamation_id order by h.changed_at, h.id)
    ) as p
    group by p.reclamation_id
    having bool_or(p.is_wrong)`,

  'the audit records of a row are in the order of its writes': `
    select format('%s %s: %s is recorded at %s, after it %s at %s', s.table_name, s.row_id, s.first, s.earlier, s.endpoint, s.created_at)
    from (
        select
            o.table_name, o.row_id, o.endpoint, o.request_id, a.created_at,
            lag(o.endpoint) over w as first,
            lag(o.request_id) over w as first_id,
            lag(a.created_at) over w as earlier
        from own as o
        join records as a
            on a.request_id = o.request_id
            and a.success
            and a.resource_type = o.table_name
            and a.resource_id = (o.row ->> 'id')::uuid
        where not o.nested
        window w as (partition by o.table_name, o.row_id order by o.id)
    ) as s
    where s.created_at <= s.earlier and s.request_id <> s.first_id`,

  // A user’s version (updated_at) stays the same if only the date of the last change of rights, or of the last end of
  // sessions, changes.
  'each write of a row gives it a later version': `
    select format('%s %s: %s after %s', o.table_name, o.row_id, o.after ->> 'updated_at', o.before ->> 'updated_at')
    from own as o
    where (o.after ->> 'updated_at')::timestamptz <= (o.before ->> 'updated_at')::timestamptz
        and o.after - ${UNVERSIONED} <> o.before - ${UNVERSIONED}`,
};

export const INVOICES: Invariants = {
  'the invoice numbers of a year have no gap, and the last one is in invoice_counters': `
    select format('%s: %s invoices with %s numbers up to %s, the counter at %s', year, f.invoices, f.numbers, f.last, c.last_number)
    from public.invoice_counters as c
    full join (
        select
            extract(year from i.issue_date)::integer as year,
            count(*) as invoices,
            count(distinct i.number) as numbers,
            max(split_part(i.number, '-', 2)::integer) as last
        from public.factures as i
        where i.number is not null
        group by 1
    ) as f using (year)
    where exists (select from own as o where o.table_name = 'factures')
        and (c.last_number = f.invoices and c.last_number = f.numbers and c.last_number = f.last) is not true`,
};
