-- This file creates the API's login taxclaims_app as a member of the role taxclaims_api, or only sets the password of
-- an existing login taxclaims_app. Run this file with psql as a role that has CREATEROLE; a second run does no harm:
--     API_DATABASE_PASSWORD=… psql --set=ON_ERROR_STOP=1 --file=db/api-login.sql
\set password ''
\getenv password API_DATABASE_PASSWORD

select 'do $$ begin raise ''API_DATABASE_PASSWORD must be set''; end $$'
where :'password' = ''
\gexec

select 'create role taxclaims_app'
where not exists (select from pg_catalog.pg_roles where rolname = 'taxclaims_app')
\gexec

alter role taxclaims_app login password :'password';
grant taxclaims_api to taxclaims_app;
