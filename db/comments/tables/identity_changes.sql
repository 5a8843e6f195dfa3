comment on table public.identity_changes is
    'Changes of users'' rights that the service sends to the identity provider. '
    'The service deletes a change 90 days after its delivery and keeps undelivered changes.';
comment on column public.identity_changes.user_id is 'The user whose rights changed.';
comment on column public.identity_changes.role is 'Role of the user after the change.';
comment on column public.identity_changes.client_access is 'Clients of the user after the change.';
comment on column public.identity_changes.is_active is 'True if the user was active after the change.';
comment on column public.identity_changes.ends_tokens is
    'True if the service refuses tokens without the new rights until the change is delivered. False if the user only '
    'gained a client that the user created.';
comment on column public.identity_changes.attempts is 'Number of attempts to deliver the change.';
comment on column public.identity_changes.last_error is
    'Error of the last attempt to deliver the change; null if no attempt failed, and after the delivery.';
comment on column public.identity_changes.next_attempt_at is 'Earliest time of the next attempt to deliver the change.';
comment on column public.identity_changes.claim is
    'Random UUID of the current attempt to deliver the change; null if there is none.';
comment on column public.identity_changes.claimed_until is
    'Time until which only one service instance may deliver the change. After claimed_until another instance may '
    'deliver the change. claimed_until is null if no instance is delivering the change.';
comment on column public.identity_changes.created_at is 'Time at which the user''s rights changed.';
comment on column public.identity_changes.delivered_at is
    'Time at which the identity provider confirmed the user''s rights; null before the delivery.';
comment on column public.identity_changes.erased_subject is
    'Subject of an erased user, whom the identity provider must remove. erased_subject is null after the removal, and '
    'for users who are not erased.';
comment on column public.identity_changes.state is
    'State of the delivery, one of WAITING, FAILING (an attempt failed) or DELIVERED. Computed.';
