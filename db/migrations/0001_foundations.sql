-- Schemas, and what every later object is born with: nobody but its owner may run or read it.

alter default privileges revoke execute on functions from public;

create schema reporting;
create schema audit;

-- The list of migrations is a table like the others; the owner alone reads and writes it.
alter table app.migrations enable row level security;
alter table app.migrations force row level security;
create policy migrations_all_owner on app.migrations
    to taxclaims_owner
    using (true)
    with check (true);
