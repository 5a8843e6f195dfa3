comment on table app.reminders is 'Reminders by mail, one for each user and day. Rows of the last 90 days are kept.';
comment on column app.reminders.user_id is 'The user to whom the mail is sent.';
comment on column app.reminders.day is 'The day, in the time zone of REMINDERS_AT.';
comment on column app.reminders.told_until is
    'The last day that an earlier mail covered. The mail contains the deadlines that came near after the day '
    '`told_until`.';
comment on column app.reminders.state is
    'WAITING until the mail is sent; SENT; NOTHING_DUE if no mail was needed; GIVEN_UP if the mail of a later day '
    'includes its contents.';
comment on column app.reminders.waits_since is
    'Time since which the user waits for a mail: the time of the first mail in an unbroken series that could not be '
    'sent.';
comment on column app.reminders.attempts is 'Number of attempts to send the mail.';
comment on column app.reminders.last_error is
    'Error of the last attempt; null if no attempt failed, and after the mail is sent.';
comment on column app.reminders.next_attempt_at is 'Earliest time of the next attempt.';
comment on column app.reminders.claim is 'Random UUID of the current attempt; null if there is none.';
comment on column app.reminders.claimed_until is
    'Time at which another instance may take over the mail, if the present instance has died; null if no instance '
    'has taken it.';
comment on column app.reminders.handed_over_at is
    'Time at which the mail was given to the mail server, while the server''s response is unknown; otherwise null.';
comment on column app.reminders.cut_off is
    'Number of attempts whose response was never known, so that the mail was sent again with the same Message-ID.';
comment on column app.reminders.ended_at is 'Time at which the mail was sent or given up; null while it waits.';
