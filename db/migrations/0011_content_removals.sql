-- Contents that the document store must lose once they are due. A removal is planned before a content is put there,
-- called off by the document's row, and planned again when the row goes: no crash in between leaves a content for ever.
create table app.content_removals (
    file_path character varying(500) primary key,
    due_at timestamp with time zone not null
);

create index content_removals_due_at_idx on app.content_removals (due_at);

alter table app.content_removals enable row level security;
alter table app.content_removals force row level security;
