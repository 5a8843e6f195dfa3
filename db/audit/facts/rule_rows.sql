-- audit.state() reads public.reclamation_transitions, public.invoice_transitions and app.administrator_guard through
-- audit.rule_rows, because auditors have no USAGE on the schemas public and app.
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
from app.administrator_guard as g;

comment on view audit.rule_rows is
    'Rows of tables that define rules, such as who may change the status of a claim. For audit.state().';
comment on column audit.rule_rows.definition is 'Fields of the record that must not be null for the change of status, and the condition of the change.';
comment on column audit.rule_rows.object is 'Name of the table and key of the row.';
