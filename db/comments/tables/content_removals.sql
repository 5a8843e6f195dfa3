comment on table app.content_removals is
    'Contents that the document store must remove. Rows long past due_at mean that the store is out of reach.';
comment on column app.content_removals.file_path is
    'Path of the content in the document store, which belongs to no document, or not yet.';
comment on column app.content_removals.due_at is
    'Time of the removal: an hour after the start of an upload, or the time at which the document was deleted.';
