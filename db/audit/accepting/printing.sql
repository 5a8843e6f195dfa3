-- Sets for each function of schema audit the settings that change how Postgres prints names and values. npm run
-- db:audit sets the same values in its session.
do $each$
declare
    routine regprocedure;
begin
    for routine in
        select f.oid
        from pg_catalog.pg_proc as f
        where f.pronamespace = 'audit'::regnamespace and f.proowner = 'taxclaims_owner'::regrole
    loop
        execute pg_catalog.format(
            $alter$
            alter function %s
                set quote_all_identifiers = off
                set extra_float_digits = 1
                set bytea_output = hex
                set datestyle = 'ISO, MDY'
                set intervalstyle = postgres
                set timezone = 'UTC'
            $alter$,
            routine
        );
    end loop;
end
$each$;
