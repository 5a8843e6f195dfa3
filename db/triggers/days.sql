-- The trigger functions in this file run with the rights of the role that writes the claim.

create or replace function app.refuse_claim_day(field text, sentence text, hint jsonb)
    returns void
    language plpgsql stable set search_path = ''
as $function$
begin
    raise exception '% %', refuse_claim_day.field, refuse_claim_day.sentence
        using
            errcode = 'TX409',
            detail = pg_catalog.jsonb_build_object(refuse_claim_day.field, refuse_claim_day.sentence),
            hint = refuse_claim_day.hint;
end
$function$;

comment on function app.refuse_claim_day(text, text, jsonb) is
    'Refuses (TX409) a day of a claim, with the field, the sentence and the code of the reason.';
grant execute on function app.refuse_claim_day(text, text, jsonb) to taxclaims_client, taxclaims_admin, taxclaims_definer;

-- A typed day differs from what the facts derive; a day that equals what the old facts derived follows the new facts, so
-- that a full record that is sent back stays derived.
create or replace function app.derive_claim_days()
    returns trigger
    language plpgsql stable set search_path = ''
as $function$
declare
    was public.reclamations;
    day date;
    due timestamp with time zone;
begin
    if tg_op = 'UPDATE' then
        was := old;
    end if;

    if new.deadline_basis is null then
        day := app.claim_deadline(new.collection_date);
        if new.claim_deadline is distinct from was.claim_deadline and new.claim_deadline is distinct from day
            and new.claim_deadline is not null
        then
            perform app.refuse_claim_day(
                'claim_deadline',
                coalesce(
                    'must be ' || day || ', which follows from collection_date: for another start give deadline_basis',
                    'follows from collection_date, which is unknown: give collection_date, or deadline_basis'
                ),
                case
                    when day is null then '["derived.no_collection_date", {}]'::jsonb
                    else pg_catalog.jsonb_build_array('derived.claim_deadline', pg_catalog.jsonb_build_object('day', day))
                end
            );
        end if;
        new.claim_deadline := day;
    elsif tg_op = 'UPDATE' and old.deadline_basis is null and new.claim_deadline = old.claim_deadline then
        new.claim_deadline := null;
    end if;

    due := app.response_due_at(new.received_on, new.submitted_at, new.response_extended);
    if new.response_due_at is distinct from was.response_due_at and new.response_due_at is distinct from due
        and new.response_due_at is not null
    then
        day := app.response_due_day(new.received_on, new.submitted_at, new.response_extended);
        perform app.refuse_claim_day(
            'response_due_at',
            coalesce(
                'must be the end of ' || day || ', which follows from received_on: leave it out',
                'follows from received_on, which is unknown: give received_on, and leave it out'
            ),
            case
                when day is null then '["derived.unknown", {"field": "received_on"}]'::jsonb
                else pg_catalog.jsonb_build_array(
                    'derived.moment', pg_catalog.jsonb_build_object('day', day, 'field', 'received_on')
                )
            end
        );
    end if;
    if new.response_due_at is distinct from was.response_due_at
        or new.received_on is distinct from was.received_on
        or new.submitted_at is distinct from was.submitted_at
        or new.response_extended is distinct from was.response_extended
    then
        new.response_due_at := due;
    end if;

    day := app.regularisation_due_day(new.regularisation_asked_on);
    if new.regularisation_due_on is distinct from was.regularisation_due_on
        and new.regularisation_due_on is distinct from day
        and new.regularisation_due_on is not null
    then
        perform app.refuse_claim_day(
            'regularisation_due_on',
            coalesce(
                'must be ' || day || ', which follows from regularisation_asked_on: leave it out',
                'follows from regularisation_asked_on, which is unknown: give regularisation_asked_on, and leave it out'
            ),
            case
                when day is null then '["derived.unknown", {"field": "regularisation_asked_on"}]'::jsonb
                else pg_catalog.jsonb_build_array(
                    'derived', pg_catalog.jsonb_build_object('day', day, 'field', 'regularisation_asked_on')
                )
            end
        );
    end if;
    new.regularisation_due_on := day;

    if new.court_deadline is null
        or (
            new.court_deadline = was.court_deadline
            and was.court_deadline = app.court_day(was.decision_received_on, was.commune_code)
        )
    then
        new.court_deadline := app.court_day(new.decision_received_on, new.commune_code);
    end if;
    if new.appeal_deadline is null
        or (
            new.appeal_deadline = was.appeal_deadline
            and was.appeal_deadline = app.appeal_day(was.judgment_notified_on, was.instance)
        )
    then
        new.appeal_deadline := app.appeal_day(new.judgment_notified_on, new.instance);
    end if;
    return new;
end
$function$;

comment on function app.derive_claim_days() is
    'Trigger of reclamations that derives the days of a claim from its facts, by the functions of '
    'db/functions/days.sql, and refuses (TX409) another value of a derived day that users must not enter.';

-- Each rule is checked only where the change touches its days, so that a claim from before the rules stays editable.
create or replace function app.check_claim_days()
    returns trigger
    language plpgsql stable set search_path = ''
as $function$
declare
    was public.reclamations;
    today constant date := app.paris_day(pg_catalog.clock_timestamp());
    sent constant date := app.paris_day(new.submitted_at);
    broken record;
begin
    if tg_op = 'UPDATE' then
        was := old;
    end if;

    select f.field, f.latest
    into broken
    from (
        values
            (1, 'tax_year', new.tax_year, was.tax_year, extract(year from today)::integer + 1),
            (2, 'collection_date', extract(year from new.collection_date), extract(year from was.collection_date), 2200),
            (3, 'submitted_at', extract(year from sent), extract(year from app.paris_day(was.submitted_at)), 2200),
            (4, 'received_on', extract(year from new.received_on), extract(year from was.received_on), 2200),
            (5, 'decision_date', extract(year from new.decision_date), extract(year from was.decision_date), 2200),
            (6, 'claim_deadline', extract(year from new.claim_deadline), extract(year from was.claim_deadline), 2201),
            (7, 'court_deadline', extract(year from new.court_deadline), extract(year from was.court_deadline), 2200),
            (8, 'appeal_deadline', extract(year from new.appeal_deadline), extract(year from was.appeal_deadline), 2200)
    ) as f (position, field, year, year_before, latest)
    where f.year is distinct from f.year_before and f.year not between 1990 and f.latest
    order by f.position
    limit 1;
    if found then
        perform app.refuse_claim_day(
            broken.field,
            'must lie between 1990 and ' || broken.latest,
            pg_catalog.jsonb_build_array(
                'out_of_range', pg_catalog.jsonb_build_object('min', 1990, 'max', broken.latest)
            )
        );
    end if;

    select f.field
    into broken
    from (
        values
            (1, 'submitted_at', sent, app.paris_day(was.submitted_at)),
            (2, 'received_on', new.received_on, was.received_on),
            (3, 'regularisation_asked_on', new.regularisation_asked_on, was.regularisation_asked_on),
            (4, 'decision_date', new.decision_date, was.decision_date),
            (5, 'decision_received_on', new.decision_received_on, was.decision_received_on),
            (6, 'judgment_notified_on', new.judgment_notified_on, was.judgment_notified_on)
    ) as f (position, field, day, day_before)
    where f.day is distinct from f.day_before and f.day > today
    order by f.position
    limit 1;
    if found then
        perform app.refuse_claim_day(
            broken.field,
            'must not lie after today, ' || today || ': enter it once it has happened',
            pg_catalog.jsonb_build_array('in_future', pg_catalog.jsonb_build_object('day', today))
        );
    end if;

    select f.field, f.first_field, f.first_day
    into broken
    from (
        values
            (1, 'received_on', new.received_on, was.received_on, 'submitted_at', sent, app.paris_day(was.submitted_at)),
            (
                2, 'regularisation_asked_on', new.regularisation_asked_on, was.regularisation_asked_on,
                'submitted_at', sent, app.paris_day(was.submitted_at)
            ),
            (3, 'decision_date', new.decision_date, was.decision_date, 'submitted_at', sent, app.paris_day(was.submitted_at)),
            (
                4, 'decision_received_on', new.decision_received_on, was.decision_received_on,
                'decision_date', new.decision_date, was.decision_date
            ),
            (
                5, 'decision_received_on', new.decision_received_on, was.decision_received_on,
                'submitted_at', sent, app.paris_day(was.submitted_at)
            ),
            (
                6, 'court_deadline', new.court_deadline, was.court_deadline,
                'decision_date', new.decision_date, was.decision_date
            ),
            (
                7, 'court_deadline', new.court_deadline, was.court_deadline,
                'decision_received_on', new.decision_received_on, was.decision_received_on
            ),
            -- Relief of the administration's own motion is a decision after the judgment.
            (
                8, 'judgment_notified_on', new.judgment_notified_on, was.judgment_notified_on,
                'decision_date', new.decision_date, new.decision_date
            ),
            (
                9, 'appeal_deadline', new.appeal_deadline, was.appeal_deadline,
                'judgment_notified_on', new.judgment_notified_on, was.judgment_notified_on
            )
    ) as f (position, field, day, day_before, first_field, first_day, first_day_before)
    where f.day < f.first_day
        and (f.day is distinct from f.day_before or f.first_day is distinct from f.first_day_before)
    order by f.position
    limit 1;
    if found then
        perform app.refuse_claim_day(
            broken.field,
            'must not lie before ' || broken.first_field || ', ' || broken.first_day,
            pg_catalog.jsonb_build_array(
                'too_early', pg_catalog.jsonb_build_object('field', broken.first_field, 'day', broken.first_day)
            )
        );
    end if;
    return new;
end
$function$;

comment on function app.check_claim_days() is
    'Trigger of reclamations that refuses (TX409) impossible years and days, events after today, and days in the '
    'wrong order.';

do $triggers$
declare
    -- The columns are compared one by one, because pg_dump prints a comparison of two rows differently after a restore.
    changed constant text := (
        select pg_catalog.string_agg(pg_catalog.format('new.%1$I is distinct from old.%1$I', c.name), ' or ' order by c.position)
        from pg_catalog.unnest(
            '{
                tax_year, commune_code, collection_date, deadline_basis, claim_deadline, submitted_at, received_on,
                response_extended, response_due_at, regularisation_asked_on, regularisation_due_on, decision_date,
                decision_received_on, court_deadline, instance, judgment_notified_on, appeal_deadline
            }'::text[]
        ) with ordinality as c (name, position)
    );
    function_name text;
begin
    -- Triggers run in the order of their names: after reclamations_apply_move, which sets submitted_at.
    foreach function_name in array '{derive_claim_days, check_claim_days}'::text[]
    loop
        execute pg_catalog.format(
            'create or replace trigger reclamations_days_%1$s_first
                before insert on public.reclamations
                for each row
                execute function app.%2$I()',
            case function_name when 'derive_claim_days' then 1 else 2 end, function_name
        );
        execute pg_catalog.format(
            'create or replace trigger reclamations_days_%1$s
                before update on public.reclamations
                for each row
                when (%3$s)
                execute function app.%2$I()',
            case function_name when 'derive_claim_days' then 1 else 2 end, function_name, changed
        );
    end loop;
end
$triggers$;
