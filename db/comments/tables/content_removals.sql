comment on table app.content_removals is
    'Contents that the document store must lose. Rows that stay long past due_at say that the store cannot be '
    'reached.';
comment on column app.content_removals.file_path is
    'Where the content lies in the document store; no document has it, or not yet.';
comment on column app.content_removals.due_at is
    'From when on it is removed: an hour after an upload began, or at once after its document was deleted.';
