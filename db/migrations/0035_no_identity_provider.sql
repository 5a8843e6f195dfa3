-- The embedded identity provider keeps in memory what it gave out.
drop table if exists app.identity_artifacts, app.login_attempts, app.identity_secret;
