-- At the end of a deploy, stores the digests of functions, triggers and rules that app.guards returns. app.objections
-- reports every later difference from these digests.
do $guards$
begin
    execute pg_catalog.format(
        'create or replace function app.guards_as_deployed() returns jsonb language sql immutable set search_path = '''' return %L::jsonb',
        (select pg_catalog.jsonb_object_agg(g.object, g.digest) from app.guards() as g)
    );
end
$guards$;

comment on function app.guards_as_deployed() is
    'Returns the digests that app.guards returned at the end of the last deploy, for app.objections.';
grant execute on function app.guards_as_deployed() to taxclaims_api;
