comment on table app.reminders is
    'Reminders by mail, one for each user and day. The service deletes rows older than 91 days.';
comment on column app.reminders.user_id is 'The user to whom the mail is sent.';
comment on column app.reminders.day is 'Day of the mail, in the time zone of the setting REMINDERS_AT.';
comment on column app.reminders.told_until is
    'Day of the user''s last mail that is SENT or NOTHING_DUE. The mail of this row covers the days after told_until.';
comment on column app.reminders.state is
    'WAITING (not sent yet), SENT, NOTHING_DUE (no mail was needed) or GIVEN_UP (a later mail includes the contents).';
comment on column app.reminders.waits_since is
    'Time since which the user waits for a mail. If mails of earlier days were given up, waits_since is the time of '
    'the first of these mails.';
comment on column app.reminders.attempts is 'Number of attempts to send the mail.';
comment on column app.reminders.last_error is
    'Error of the last attempt to send the mail; null if no attempt failed, and after the mail is sent.';
comment on column app.reminders.next_attempt_at is 'Earliest time of the next attempt to send the mail.';
comment on column app.reminders.claim is 'Random UUID of the current attempt to send the mail; null if there is none.';
comment on column app.reminders.claimed_until is
    'Time until which only one service instance may send the mail. After claimed_until another instance may send the '
    'mail. claimed_until is null if no instance is sending the mail.';
comment on column app.reminders.handed_over_at is
    'Time at which the service began to give the mail to the mail server; null once the server''s answer is known.';
comment on column app.reminders.cut_off is
    'How many attempts to send the mail ended without a known result. After an attempt without a known result the '
    'service sends the mail again with the same Message-ID.';
comment on column app.reminders.ended_at is 'Time at which the mail was sent or given up; null while the mail waits.';
