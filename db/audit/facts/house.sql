-- pg_get_expr leaves out schemas that are on the path of whoever asks, and writes backslashes as they are set to be read:
-- here everybody reads the same text.
create function audit.expression(tree pg_node_tree, relation oid)
    returns text
    language sql stable
    set standard_conforming_strings = on
    set search_path = ''
return pg_catalog.pg_get_expr(tree, relation);

comment on function audit.expression(pg_node_tree, oid) is
    'The text of an expression of the catalog, the same for every search path. Serves the views of audit.';

create view audit.house_schemas with (security_invoker) as
select
    n.oid,
    n.nspname as name
from pg_catalog.pg_namespace as n
where n.nspname in ('public', 'app', 'reporting', 'audit');

comment on view audit.house_schemas is 'The schemas that belong to the house.';

create view audit.house_roles with (security_invoker) as
select
    r.oid,
    r.rolname as name,
    h.purpose,
    h.extends,
    h.place
from app.house_roles() as h
join pg_catalog.pg_roles as r on r.rolname = h.name;

comment on view audit.house_roles is 'The roles of the house, none of which may log in.';
comment on column audit.house_roles.purpose is
    'request: a request runs as it; group: logins are put into it; addition: a login of a group has it as well; back: the '
    'owner, the definer and the housekeeper.';
comment on column audit.house_roles.extends is 'The role whose rights it has as well; null where there is none.';
comment on column audit.house_roles.place is 'The order in which they are printed.';

create view audit.house_tables with (security_invoker) as
select
    c.oid,
    pg_catalog.format('%I.%I', s.name, c.relname) as name,
    c.relowner as owner,
    c.relrowsecurity as row_security,
    c.relforcerowsecurity as forced
from pg_catalog.pg_class as c
join audit.house_schemas as s on s.oid = c.relnamespace
where c.relkind in ('r', 'p');

comment on view audit.house_tables is 'The tables of the house.';
comment on column audit.house_tables.row_security is 'Whether row-level security is on.';
comment on column audit.house_tables.forced is 'Whether it holds for the owner too.';
comment on column audit.house_tables.name is 'Schema and name.';
