comment on table public.notes is 'Notes on claims. One with due_on is a task.';
comment on column public.notes.author_id is
    'User who wrote the note, by the id that the token gave; that user may not be stored.';
comment on column public.notes.text is 'The note, at most 10,000 characters. Reporting does not see it.';
comment on column public.notes.internal is
    'True for a note that users of the role CLIENT do not see; true unless given, and false for what a CLIENT writes.';
comment on column public.notes.due_on is 'Last day of the task, in UTC; null for a note that is no task.';
comment on column public.notes.assignee_id is
    'User who is to do the task: active when assigned, and with a right to see it. Who loses that right loses the open '
    'task. Null for nobody.';
comment on column public.notes.done_at is 'Time at which the task was done; null before, and for a note that is no task.';
