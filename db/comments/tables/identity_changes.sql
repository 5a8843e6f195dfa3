comment on table public.identity_changes is
    'Changes of users'' rights to send to the identity provider. Delivered changes are deleted after 90 days, '
    'undelivered ones stay.';
comment on column public.identity_changes.user_id is 'The user whose rights changed.';
comment on column public.identity_changes.role is 'Role of the user after the change.';
comment on column public.identity_changes.client_access is 'Clients of the user after the change.';
comment on column public.identity_changes.is_active is 'True if the user was active after the change.';
comment on column public.identity_changes.ends_tokens is
    'True if tokens with other rights are refused until the delivery. False for a client that the user created.';
comment on column public.identity_changes.attempts is 'Number of attempts to deliver the change.';
comment on column public.identity_changes.last_error is
    'Error of the last attempt; null if no attempt failed, and after the delivery.';
comment on column public.identity_changes.next_attempt_at is 'Earliest time of the next attempt.';
comment on column public.identity_changes.claim is 'Random UUID of the current attempt; null if there is none.';
comment on column public.identity_changes.claimed_until is
    'Time at which another instance may take over the change, if the present instance has died; null if no '
    'instance has taken it.';
comment on column public.identity_changes.created_at is 'Time of the change.';
comment on column public.identity_changes.delivered_at is
    'Time at which the provider confirmed the user''s rights; null before the delivery.';
comment on column public.identity_changes.erased_subject is
    'Subject of an erased user, whom the provider must remove. Null after the removal, and for other changes.';
comment on column public.identity_changes.state is
    'State of the delivery: WAITING, FAILING (an attempt failed) or DELIVERED. Computed.';
