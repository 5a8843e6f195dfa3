import type { Checks } from './checks.ts';

/** These checks compare the rows in the database with the writes that the service acknowledged during a load test. */
export const WRITES: Checks = {
  'each acknowledged creation is stored once': `
    select format('%s %s: %s rows', r.operation, r.marker, count(s.id))
    from requests as r
    left join stored as s on s."table" = r."table" and s.marker = r.marker and s.id = r.record
    where r.kind = 'create'
        and r.is_acknowledged
        and not exists (select from attempts as d where d.kind = 'delete' and d.record = r.record)
    group by r.serial, r.operation, r.marker
    having count(s.id) <> 1`,
  'no creation is stored twice': `
    select format('%s: %s rows of %s', marker, count(*), "table")
    from stored
    group by "table", marker
    having count(*) > 1`,
  'each stored row was sent by a request': `
    select format('%s of %s', s.marker, s."table")
    from stored as s
    where not exists (
        select from attempts as a where a.kind = 'create' and a."table" = s."table" and a.marker = s.marker
    )`,
  'no refused or invalid creation is stored': `
    select format('%s %s', r.operation, r.marker)
    from requests as r
    join stored as s on s."table" = r."table" and s.marker = r.marker
    where r.kind = 'create' and not r.is_acknowledged and not r.is_unknown`,
  'no deleted record is stored': `
    select format('%s %s', r.operation, r.record)
    from requests as r
    join stored as s on s."table" = r."table" and s.id = r.record
    where r.kind = 'delete' and r.is_acknowledged`,
  'each record has the values of the last acknowledged change, or of a later change without an answer': `
    select format('%s %s has %s', w."table", w.record, coalesce(w.value, 'nothing'))
    from (
        select
            l.record, l.kind, l.last, s."table",
            case l.kind when 'change' then t.address else coalesce(c.status, i.status) end as value
        from (
            select record, kind, max(serial) filter (where is_acknowledged) as last
            from requests
            where kind in ('change', 'move')
            group by record, kind
        ) as l
        join stored as s on s.id = l.record
        left join public.sites as t on t.id = l.record
        left join public.reclamations as c on c.id = l.record
        left join public.factures as i on i.id = l.record
    ) as w
    where not exists (
            select
            from requests as r
            where r.record = w.record
                and r.kind = w.kind
                and r.marker = w.value
                and (r.serial = w.last or (r.is_unknown and r.serial > coalesce(w.last, 0)))
        )
        and not (w.last is null and coalesce(w.value, 'DRAFT') = 'DRAFT')`,
  'the history of a claim has each acknowledged move, and no other': `
    select format('%s: %s moves were acknowledged, %s unknown, %s are in its history', m.record, m.known, m.unknown, m.found)
    from (
        select
            r.record,
            count(*) filter (where r.is_acknowledged) as known,
            count(*) filter (where r.is_unknown) as unknown,
            (select count(*) from public.reclamation_history as h where h.reclamation_id = r.record) as found
        from requests as r
        where r.kind = 'move' and r."table" = 'reclamations'
        group by r.record
    ) as m
    where m.found not between m.known and m.known + m.unknown`,
  'the invoice numbers have no gap': `
    select format('%s: %s invoices with numbers up to %s, the counter at %s', year, n.invoices, n.last, k.last_number)
    from public.invoice_counters as k
    full join (
        select
            split_part(i.number, '-', 1)::integer as year,
            count(*) as invoices,
            max(split_part(i.number, '-', 2)::integer) as last
        from public.factures as i
        where i.number is not null
        group by 1
    ) as n using (year)
    where (n.invoices = n.last and n.last = k.last_number) is not true`,
  'each Idempotency-Key gets the same answer each time': `
    select format('%s %s was answered in %s ways', operation, marker, count(distinct answer))
    from attempts
    where keyed
    group by serial, operation, marker
    having count(distinct answer) > 1`,
  'each request with an Idempotency-Key is answered in the end': `
    select format('%s %s after %s attempts', operation, marker, attempts)
    from requests as r
    where keyed
        and not exists (select from attempts as a where a.serial = r.serial and not a.is_unknown and a.attempt = r.attempts)`,
};
