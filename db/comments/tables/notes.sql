comment on table public.notes is 'Notes on claims. A note with due_on is a task.';
comment on column public.notes.author_id is
    'Id of the user who wrote the note. The author of a note may have no row in public.users.';
comment on column public.notes.text is 'Text of the note, at most 10,000 characters. Reporting views omit this text.';
comment on column public.notes.internal is
    'True for a note that users of the role CLIENT cannot read. True by default; false if a CLIENT writes the note.';
comment on column public.notes.due_on is 'Last day of the task, in Europe/Paris; null for a note that is not a task.';
comment on column public.notes.assignee_id is
    'User who must do the task. The user must be active and able to read the task when it is assigned. If a user may '
    'no longer read an open task, the task loses this assignee. assignee_id is null if nobody is assigned.';
comment on column public.notes.done_at is
    'Time at which the task was done; null for an open task, and for a note that is not a task.';
