-- audit.state() reads tables of the schemas public and app through audit.rule_rows, because auditors have no USAGE on these
-- schemas. Of the 38,000 communes it compares one digest for each department.
create view audit.rule_rows with (security_invoker) as
select
    'public.reclamation_transitions ' || pg_catalog.concat_ws(', ', t.from_status, t.to_status, t.role) as object,
    pg_catalog.concat_ws(' ', t.requires::text, t.condition) as definition
from public.reclamation_transitions as t
union all
select
    'public.invoice_transitions ' || pg_catalog.concat_ws(', ', t.table_name, t.from_status, t.to_status, t.role),
    t.requires::text
from public.invoice_transitions as t
union all
select 'app.administrator_guard ' || g.is_only::text, 'there'
from app.administrator_guard as g
union all
select 'app.identity_management ' || m.is_only::text, 'there'
from app.identity_management as m
union all
select
    'public.public_holidays ' || pg_catalog.to_char(h.day, 'YYYY'),
    pg_catalog.string_agg(
        pg_catalog.concat_ws(' ', pg_catalog.to_char(h.day, 'MM-DD'), h.region, h.name), ', ' order by h.day, h.region
    )
from public.public_holidays as h
group by 1
union all
select
    'public.communes ' || pg_catalog."left"(c.code, 2),
    -- bit_xor needs no order of the rows, and so no sort.
    pg_catalog.count(*) || ' with the digest ' || pg_catalog.bit_xor(
        pg_catalog.hashtextextended(
            c.code || '|' || coalesce(c.name, '') || '|' || coalesce(c.current_code, '') || '|' || coalesce(c.postal_codes::text, ''), 0
        )
    )
from public.communes as c
group by 1;

comment on view audit.rule_rows is
    'Rows of tables that define rules, such as who may change the status of a claim, the public holidays of a year, and a '
    'digest of the communes of a department. For audit.state().';
comment on column audit.rule_rows.definition is
    'Fields that a change of status needs, and its condition; the holidays of the year; number and digest of the communes.';
comment on column audit.rule_rows.object is 'Name of the table, and key of the row, year or department.';
