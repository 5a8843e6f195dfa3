comment on table app.login_attempts is
    'Attempts to log in at the embedded identity provider that failed, by which further ones are refused for a while. A '
    'row may be deleted: then the count begins anew.';

comment on column app.login_attempts.scope is
    'What is counted: of an address, of an account, of an account from an address (pair); or that an account has logged '
    'in from an address (known), where its limit does not hold.';
comment on column app.login_attempts.key_digest is
    'A digest of address or account with the secret of app.identity_secret: neither stands here.';
comment on column app.login_attempts.failures is 'How many failed since then.';
comment on column app.login_attempts.since is 'When the count began; of what is known, the last login.';
