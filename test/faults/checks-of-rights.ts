import type { Checks } from './checks.ts';

/**
 * SQL that writes all rights of a user as one text. The TypeScript function `rightsOf` writes the same text, so that
 * the two can be compared.
 */
const rights = (row: string): string => `
    concat_ws(
        ' ', ${row}.role,
        (select string_agg(c::text, ' ' order by c) from unnest(${row}.client_access) as c),
        case when ${row}.is_active then 'active' else 'inactive' end
    )`;

/**
 * Temporary tables with the rights that the test’s identity provider received and the mails that its mail server
 * received.
 */
export const PARTS = `
create temporary table members (id uuid, subject text, rights text);
create temporary table told (n integer, subject text, rights text, at double precision);
create temporary table mails (recipient text, mail text);
create temporary table troubles ("from" double precision, "to" double precision);`;

/**
 * The view `states` lists the rights that each user had, from the oldest to the newest. The view `named_mails` lists
 * each mail with its user and its day.
 */
export const PARTS_VIEWS = `
create temporary view states as
    select id, subject, 0 as index, rights, null::text as request_id, null::timestamptz as created_at from members
    union all
    select
        m.id, m.subject, row_number() over (partition by m.id order by c.created_at, c.id), ${rights('c')},
        c.request_id::text, c.created_at
    from members as m
    join public.identity_changes as c on c.user_id = m.id;
create temporary view now_stored as
    select m.id, m.subject, ${rights('u')} as rights from members as m join public.users as u using (id);
create temporary view told_in_turn as
    select *, row_number() over (partition by subject order by n) as turn from told;
create temporary view named_mails as
    select u.email, r.*, count(m.mail) as mails
    from public.users as u
    left join app.reminders as r on r.user_id = u.id
    left join mails as m
        on m.recipient = u.email and split_part(m.mail, '@', 1) = '<reminder-' || r.day || '-' || u.id
    group by u.id, r.user_id, r.day`;

/**
 * These checks run after a load test. They report a change of rights that never reached the identity provider, and a
 * withdrawn right that the service still accepts.
 */
export const RIGHTS: Checks = {
  'each acknowledged change of rights is queued for the provider': `
    select format('%s of %s', operation, record)
    from attempts as a
    where a.kind = 'grant' and a.lost is null and a.status = 200
        and not exists (select from states as s where s.request_id = a."requestId" and s.rights = a.marker)`,
  'each user has the rights of the last queued change': `
    select format('%s has %s', n.subject, n.rights)
    from now_stored as n
    where n.rights <> (select s.rights from states as s where s.id = n.id order by s.index desc limit 1)`,
  'each queued change of rights is delivered': `
    select format('a change of %s is %s: %s', user_id, state, last_error)
    from public.identity_changes
    where state <> 'DELIVERED' and user_id in (select m.id from members as m)`,
  'the provider receives no rights that a user never had': `
    select format('%s: %s', t.subject, t.rights)
    from told as t
    where not exists (select from states as s where s.subject = t.subject and s.rights = t.rights)`,
  'the provider receives each user’s rights in their order': `
    select format('%s was told %s after later rights', t.subject, t.rights)
    from told_in_turn as t
    join states as s using (subject, rights)
    where s.index < (
        select max(b.index)
        from told_in_turn as e
        join states as b using (subject, rights)
        where e.subject = t.subject and e.turn < t.turn
    )`,
  'the provider has each user’s present rights at the end': `
    select format('%s has %s here', n.subject, n.rights)
    from now_stored as n
    join members as m using (id)
    where n.rights <> coalesce(
        (select t.rights from told as t where t.subject = n.subject order by t.n desc limit 1), m.rights
    )`,
  'the provider receives each change of rights once, unless something failed': `
    select format('%s: %s', t.subject, t.rights)
    from told_in_turn as t
    join told_in_turn as b on b.subject = t.subject and b.turn = t.turn - 1 and b.rights = t.rights
    where not exists (select from troubles as f where f."to" >= b.at - 1000 and f."from" <= t.at)`,
  'the service accepts no withdrawn right': `
    select format('%s of %s was answered %s with %s', u.operation, u.record, u.status, u.marker)
    from attempts as u
    where u.kind = 'use' and u.lost is null and u.status in (200, 403)
        and not exists (
            select from states as s
            where s.id = u.record
                and s.rights = u.marker
                and s.index >= (
                    select coalesce(max(l.index), 0)
                    from states as l
                    join attempts as a on a."requestId" = l.request_id
                    where l.id = u.record and a.lost is null and a.status = 200 and a.at + a.ms + 2 < u.at
                )
        )`,
};

/**
 * These checks report a user who got no mail about a due reminder, and a reminder that was sent too often or to a wrong
 * address.
 */
export const MAILS: Checks = {
  'each user with a due reminder gets a mail': `
    select format('%s: %s mails, the state is %s', email, mails, coalesce(state, 'none'))
    from named_mails as n
    where email like '%@joiners.example'
        and (state is distinct from 'SENT' or mails = 0)
        -- A reminder in the state GIVEN_UP was replaced by that of a later day, which has all its deadlines.
        and not (state = 'GIVEN_UP' and exists (select from app.reminders as r where r.user_id = n.user_id and r.day > n.day))`,
  'each reminder arrives once, and once more for each attempt without an answer': `
    select format('%s of %s came %s times, with %s attempts without an answer', email, day, mails, cut_off)
    from named_mails
    where mails > 1 + cut_off`,
  'each mail is a reminder of one user and one day': `
    select format('%s to %s', m.mail, m.recipient)
    from mails as m
    where not exists (
        select from public.users as u join app.reminders as r on r.user_id = u.id
        where u.email = m.recipient and split_part(m.mail, '@', 1) = '<reminder-' || r.day || '-' || u.id
    )`,
};
