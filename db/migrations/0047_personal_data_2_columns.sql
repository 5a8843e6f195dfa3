-- The erasure of a user, whose id stays. The subject is then a digest, by which a token of the erased user is refused.
create index notes_author_id_idx on public.notes (author_id, created_at desc, id desc);

alter table public.users
    add column erased_at timestamp with time zone,
    add constraint users_erased check (
        erased_at is null
        or (
            email = id::text || '@erased.invalid'
            and name = 'Utilisateur effacé'
            and password_hash = '!'
            and role = 'CLIENT'
            and client_access = '{}'
            and not is_active
            and subject is not null
            and subject ~ '^erased:[0-9a-f]{64}$'
        )
    );

-- The subject that the identity provider is to remove, until it has.
alter table public.identity_changes
    add column erased_subject text,
    add constraint identity_changes_erased_undelivered check (erased_subject is null or delivered_at is null);
