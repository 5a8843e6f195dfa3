comment on table app.identity_secret is
    'One row: the secret behind the salts of addresses that nobody has, and the digests of counted attempts.';

comment on column app.identity_secret.is_only is 'True; keeps the table at one row.';
comment on column app.identity_secret.secret is '32 random bytes; readable by no login.';
