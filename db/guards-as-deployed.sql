-- At the end of a deploy, stores the digests of functions, triggers and rules that app.digest_functions_and_triggers
-- returns. app.objections reports every later difference from these digests.
do $guards$
begin
    execute pg_catalog.format(
        'create or replace function app.read_deployed_digests() returns jsonb language sql immutable set search_path = '''' return %L::jsonb',
        (select pg_catalog.jsonb_object_agg(g.object, g.digest) from app.digest_functions_and_triggers() as g)
    );
end
$guards$;

comment on function app.read_deployed_digests() is
    'Returns the digests that app.digest_functions_and_triggers returned at the end of the last deploy, for app.objections.';
grant execute on function app.read_deployed_digests() to taxclaims_api;
