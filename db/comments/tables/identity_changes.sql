comment on table public.identity_changes is
    'Changes of role, clients or activity that were made here, for the identity provider. What is delivered goes after '
    '90 days; what is not stays until it is.';
comment on column public.identity_changes.user_id is 'Whose rights were changed.';
comment on column public.identity_changes.request_id is
    'The X-Request-Id of the request that changed them; null outside a request.';
comment on column public.identity_changes.actor is
    'The subject of the token that changed them, or the database login outside a request.';
comment on column public.identity_changes.role is 'The role that the user had from then on.';
comment on column public.identity_changes.client_access is 'The clients that the user had from then on.';
comment on column public.identity_changes.is_active is 'Whether the user was active from then on.';
comment on column public.identity_changes.ends_tokens is
    'True where tokens that say other rights are refused until the provider knows these; false for a client that its '
    'user created.';
comment on column public.identity_changes.attempts is 'How often the delivery was tried.';
comment on column public.identity_changes.last_error is
    'Why the last attempt has failed, in a few words; null where none has, and once it is delivered.';
comment on column public.identity_changes.next_attempt_at is 'Before then it is not tried again.';
comment on column public.identity_changes.claim is 'A random UUID of whoever is delivering it; null where nobody is.';
comment on column public.identity_changes.claimed_until is
    'When the claim ends by itself, since whoever had it has died; null where there is none.';
comment on column public.identity_changes.created_at is 'When the change was committed.';
comment on column public.identity_changes.delivered_at is
    'When the provider had confirmed the rights that the user had by then; null where it has not.';
comment on column public.identity_changes.state is 'WAITING, FAILING after an attempt that has failed, or DELIVERED; worked out.';
