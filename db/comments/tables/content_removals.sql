comment on table app.content_removals is
    'Files that the document store must remove. Rows long past due_at mean that the store cannot be reached.';
comment on column app.content_removals.file_path is
    'Path of the file in the document store. No document has this file path: the document was deleted, or its '
    'upload has '
    'not ended.';
comment on column app.content_removals.due_at is
    'Time from which the file is removed: an hour after the start of an upload, or the time at which the document was '
    'deleted.';
