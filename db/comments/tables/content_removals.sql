comment on table app.content_removals is
    'Files that the service must remove from the document store. If a row stays long after its due_at, the service '
    'cannot reach the document store.';
comment on column app.content_removals.file_path is
    'Path of the file in the document store. The table lists a file if its document was deleted or its upload has not '
    'ended.';
comment on column app.content_removals.due_at is
    'Time from which the service removes the file. '
    'A removal is due an hour after an upload starts, or when the document is deleted.';
