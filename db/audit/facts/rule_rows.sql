-- Rules that are rows: which moves are allowed to whom, and the one row in which administrators meet. A view, for an
-- auditor has no usage of the schemas that the tables are in.
create view audit.rule_rows with (security_invoker) as
select
    'public.reclamation_transitions ' || pg_catalog.concat_ws(', ', t.from_status, t.to_status, t.role) as object,
    t.requires::text as definition
from public.reclamation_transitions as t
union all
select
    'public.invoice_transitions ' || pg_catalog.concat_ws(', ', t.table_name, t.from_status, t.to_status, t.role),
    t.requires::text
from public.invoice_transitions as t
union all
select 'app.administrator_guard ' || g.is_only::text, 'there'
from app.administrator_guard as g;

comment on view audit.rule_rows is 'The rows that are rules, which audit.state() tells as facts. Serves audit.drift.';
comment on column audit.rule_rows.definition is 'What the row says beside its key: the fields that a move needs.';
comment on column audit.rule_rows.object is 'The table, and the key of the row.';
