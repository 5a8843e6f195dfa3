comment on table app.reminders is
    'Reminders by mail, one for each user and day. Those of the last 90 days are kept.';
comment on column app.reminders.user_id is 'The user whom the mail is for.';
comment on column app.reminders.day is 'The day, in the time zone of REMINDERS_AT.';
comment on column app.reminders.told_until is
    'The last day of which the user was told before: the mail has what has come near since.';
comment on column app.reminders.state is
    'WAITING until it is sent; SENT; NOTHING_DUE: no mail was needed; GIVEN_UP: the mail of a later day says it.';
comment on column app.reminders.waits_since is
    'Time since which the user waits to be told: of the first mail in a row that could not be sent.';
comment on column app.reminders.attempts is 'Number of attempts to send it.';
comment on column app.reminders.last_error is 'Why the last attempt failed; null if none failed, and once sent.';
comment on column app.reminders.next_attempt_at is 'Earliest time of the next attempt.';
comment on column app.reminders.claim is 'Random UUID of the present attempt; null if there is none.';
comment on column app.reminders.claimed_until is
    'Time at which the claim ends if its instance has died; null without claim.';
comment on column app.reminders.handed_over_at is
    'Time at which the mail was handed to the mail server, as long as its answer is not known; null otherwise.';
comment on column app.reminders.cut_off is
    'Number of attempts whose answer was never known, so that the mail was sent again with the same Message-ID.';
comment on column app.reminders.ended_at is 'Time at which it was sent or given up; null while it waits.';
