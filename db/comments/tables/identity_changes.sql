comment on table public.identity_changes is
    'Changes of users'' rights for the identity provider. Delivered ones are deleted after 90 days, others stay.';
comment on column public.identity_changes.user_id is 'The user whose rights changed.';
comment on column public.identity_changes.role is 'Role of the user after the change.';
comment on column public.identity_changes.client_access is 'Clients of the user after the change.';
comment on column public.identity_changes.is_active is 'True if the user was active after the change.';
comment on column public.identity_changes.ends_tokens is
    'True if tokens with other rights are refused until delivery; false for a client that the user created.';
comment on column public.identity_changes.attempts is 'Number of attempts to deliver.';
comment on column public.identity_changes.last_error is
    'Why the last attempt failed; null if none failed, and once delivered.';
comment on column public.identity_changes.next_attempt_at is 'Earliest time of the next attempt.';
comment on column public.identity_changes.claim is 'Random UUID of the present attempt; null if there is none.';
comment on column public.identity_changes.claimed_until is
    'Time at which the claim ends if its instance has died; null without claim.';
comment on column public.identity_changes.created_at is 'Time of the change.';
comment on column public.identity_changes.delivered_at is
    'Time at which the provider confirmed the user''s rights; null before.';
comment on column public.identity_changes.erased_subject is
    'Subject of an erased user, whom the provider is to remove; null once it has, and for other changes.';
comment on column public.identity_changes.state is 'State of the delivery: WAITING, FAILING (an attempt failed) or DELIVERED. Computed.';
