-- What app.guards says at the end of a deploy, written down: whatever differs later was changed by hand. What a deploy
-- itself could not take back is the matter of audit.drift.
do $guards$
begin
    execute pg_catalog.format(
        'create or replace function app.guards_as_deployed() returns jsonb language sql immutable set search_path = '''' return %L::jsonb',
        (select pg_catalog.jsonb_object_agg(g.object, g.digest) from app.guards() as g)
    );
end
$guards$;

comment on function app.guards_as_deployed() is
    'What app.guards said at the end of the last deploy, by object. Made anew on each deploy; serves app.objections.';
grant execute on function app.guards_as_deployed() to taxclaims_api;
