-- audit.accept and audit.withdraw run with the caller's rights.

create function audit.trigram_similarity(one text, other text)
    returns bigint
    language sql immutable set search_path = ''
begin atomic
    select pg_catalog.count(*)
    from (
        select pg_catalog.substr(pg_catalog.lower(one), i, 3)
        from pg_catalog.generate_series(1, pg_catalog.length(one) - 2) as i
        intersect
        select pg_catalog.substr(pg_catalog.lower(other), i, 3)
        from pg_catalog.generate_series(1, pg_catalog.length(other) - 2) as i
    ) as pieces;
end;

comment on function audit.trigram_similarity(text, text) is
    'Number of three-letter sequences that two names share. audit.closest_object sorts names by this number.';

create function audit.closest_object(call text, what text, object text)
    returns text
    language sql stable set search_path = ''
begin atomic
    select 'Nearest: ' || pg_catalog.string_agg(
        pg_catalog.format(closest_object.call, n.what, n.object), '; ' order by n.nearness desc, n.what, n.object
    )
    from (
        select s.what, s.object, audit.trigram_similarity(s.what, closest_object.what) + audit.trigram_similarity(s.object, closest_object.object) as nearness
        from (
            select s.what, s.object from audit.all_findings_and_drift as s where closest_object.call like 'audit.accept%'
            union
            select a.what, a.object from audit.acceptances as a where a.withdrawn_at is null and closest_object.call like 'audit.withdraw%'
        ) as s
        order by nearness desc, s.what, s.object
        limit 5
    ) as n;
end;

comment on function audit.closest_object(text, text, text) is
    'Hint for a caller of audit.accept or audit.withdraw who gave an unknown name; it suggests similar names.';

-- A second call of audit.accept for the same finding keeps the reason of the first call.
create function audit.accept(what text, object text, reason text)
    returns setof audit.acceptances
    language plpgsql volatile set search_path = ''
as $function$
declare
    stands text[];
begin
    if coalesce(pg_catalog.btrim(accept.reason, E' \t\n\r'), '') = '' then
        raise exception 'the reason is missing: audit.accepted must show why this is intended'
            using errcode = 'invalid_parameter_value';
    end if;
    select pg_catalog.array_agg(s.as_it_stands)
    into stands
    from audit.all_findings_and_drift as s
    where s.what = accept.what and s.object = accept.object;
    if stands is null then
        raise exception 'no finding or drift of this name and object: %, %', coalesce(accept.what, 'null'), coalesce(accept.object, 'null')
            using
                errcode = 'no_data_found',
                hint = coalesce(audit.closest_object('audit.accept(%L, %L, …)', accept.what, accept.object), 'There is no finding and no drift.');
    end if;
    insert into audit.acceptances as a (what, object, as_it_stood, reason)
    select distinct accept.what, accept.object, each.as_it_stood, pg_catalog.btrim(accept.reason, E' \t\n\r')
    from pg_catalog.unnest(stands) as each (as_it_stood)
    on conflict do nothing;
    return query
    select a.*
    from audit.acceptances as a
    where a.withdrawn_at is null and a.what = accept.what and a.object = accept.object and a.as_it_stood = any (stands)
    order by a.id;
end
$function$;

comment on function audit.accept(text, text, text) is
    'Accepts an audit finding or a difference from the declared state. audit.findings and audit.drift hide an accepted '
    'finding or difference until it changes. The parameter `what` is the name of the finding, or the kind of the '
    'object that differs from the declared state. Only superusers and members of taxclaims_owner may accept findings.';

create function audit.accept_home(reason text)
    returns text
    language plpgsql volatile set search_path = ''
as $function$
declare
    text_of_home text;
begin
    select s.as_it_stands
    into text_of_home
    from audit.all_findings_and_drift as s
    where s.what = 'home';
    if text_of_home is null and coalesce(pg_catalog.btrim(accept_home.reason, E' \t\n\r'), '') <> '' then
        raise exception 'nothing here is the provider''s alone to mend'
            using
                errcode = 'no_data_found',
                hint = 'select finding, object, who from audit.findings; audit.accept accepts one finding.';
    end if;
    select a.as_it_stood
    into strict text_of_home
    from audit.accept('home', 'what only the provider can mend', accept_home.reason) as a
    order by a.id desc
    limit 1;
    return text_of_home;
end
$function$;

comment on function audit.accept_home(text) is
    'Accepts all findings that only the provider of the server can mend, and returns their text. audit.findings hides '
    'them until the text changes; audit.withdraw ends the acceptance. Only superusers and members of taxclaims_owner may '
    'call audit.accept_home.';

create function audit.withdraw(what text, object text)
    returns setof audit.acceptances
    language plpgsql volatile set search_path = ''
as $function$
begin
    return query
    update audit.acceptances as a
    set withdrawn_by = session_user,
        withdrawn_at = pg_catalog.clock_timestamp()
    where a.withdrawn_at is null and a.what = withdraw.what and a.object = withdraw.object
    returning a.*;
    if not found then
        raise exception 'no acceptance of this name and object: %, %', coalesce(withdraw.what, 'null'), coalesce(withdraw.object, 'null')
            using
                errcode = 'no_data_found',
                hint = coalesce(audit.closest_object('audit.withdraw(%L, %L)', withdraw.what, withdraw.object), 'There is no acceptance.');
    end if;
end
$function$;

comment on function audit.withdraw(text, text) is
    'Ends the acceptance of an audit finding or of a difference from the declared state, so that audit.findings or '
    'audit.drift shows it again. audit.acceptances keeps who ended the acceptance and when. Only superusers and '
    'members of taxclaims_owner may call audit.withdraw.';
