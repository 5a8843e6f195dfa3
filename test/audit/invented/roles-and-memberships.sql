/* TITLE | what it lets | by whom, since which Postgres, which extension it needs. */

-- the owner logs in | whoever has the password owns every table
alter role taxclaims_owner login password 'owner';
-- a request role logs in | a session of administrators without the API and its audit fields
alter role taxclaims_admin login password 'admin';
-- a request role makes roles | a request of a client makes logins
alter role taxclaims_client createrole;
-- the API has a request role’s rights without becoming it | a statement outside a request reads the whole system | since 16
grant taxclaims_admin to taxclaims_api with inherit true;
-- a role for support that may become an ADMIN, and the auditor in it | an auditor reads everything as an ADMIN
create role support noinherit; grant taxclaims_admin to support; grant support to auditor_anna;
-- the owner for the login of the API | the API alters tables and policies
grant taxclaims_owner to api_production;
-- the definer for an auditor | an auditor becomes who writes audit records
grant taxclaims_definer to auditor_anna;
-- a team’s role that reads all data, and the BI login in the team | a BI login reads the verifiers of all logins and the hashes of its clients’ users
create role analysts; grant pg_read_all_data to analysts; grant analysts to bi_acme;
-- an auditor writes files of the server | an auditor overwrites pg_hba.conf, and is whoever they like
grant pg_write_server_files to auditor_anna;
-- programs of the server for the owner | a member of the owner’s role is the server’s user, and so a superuser
grant pg_execute_server_program to taxclaims_owner;
-- an auditor past row-level security | an auditor reads all records
alter role auditor_anna bypassrls;
-- the definer past row-level security | no policy holds any function of the house
alter role taxclaims_definer bypassrls;
-- replication for a BI login | a BI login takes a copy of the whole cluster
alter role bi_acme replication;
-- the API’s login is a superuser, "for the migration" | no policy holds the API
alter role api_production superuser;
-- the API’s login owns the database | the API grants, and is pg_database_owner
alter database :"DBNAME" owner to api_production;
-- one login for API and BI | whoever has the API’s password also runs reports as a grantee
grant taxclaims_reporting to api_production;
-- a request role for a BI login | the BI login becomes a client of whichever clients it sets
grant taxclaims_client to bi_acme;
-- the API’s role for a BI login, without inheritance | the BI login becomes any request role | since 16
grant taxclaims_api to bi_acme with inherit false;
-- all clients for all BI logins | every BI login reads every client
grant taxclaims_reporting_all to taxclaims_reporting;
-- all clients for a team of analysts, in which a BI login is | the BI login reads every client without a record of it
create role analysts; grant taxclaims_reporting_all to analysts; grant analysts to bi_acme;
-- clients are auditors | a tenant reads the refusals of all, and the audit
grant taxclaims_auditor to taxclaims_client;
-- an auditor’s login for a BI login | the BI login becomes the auditor
grant auditor_anna to bi_acme;
-- the API’s login may let others in | the API makes any role a login of the API
grant taxclaims_api to api_production with admin option;
-- the definer has what the owner has | each definer function runs with the owner’s rights
alter role taxclaims_definer inherit; grant taxclaims_owner to taxclaims_definer;
-- BI logins see everybody’s statements | a BI login reads the texts of the API’s statements and their values
grant pg_read_all_stats to taxclaims_reporting;
-- a BI login ends sessions | a BI login cuts the API off
grant pg_signal_backend to bi_acme;
-- two roles of the cast exchange their names | whoever is a CLIENT works with the rights of an ADMIN
alter role taxclaims_client rename to swap;
alter role taxclaims_admin rename to taxclaims_client;
alter role swap rename to taxclaims_admin;
-- a CREATEROLE admin who may give out the API’s role | an administrator who is no superuser makes themselves a login of the API
create role hr login createrole password 'hr';
grant taxclaims_api, taxclaims_reporting_all to hr with admin option;
-- a team’s role in the owner’s, and the BI login in the team | the BI login becomes the owner and grants itself all
create role devs; grant taxclaims_owner to devs; grant devs to bi_acme;
-- a login of another application in the database’s owner | it changes settings of and rights on the database
create role dba_team; alter database :"DBNAME" owner to dba_team; grant dba_team to reporter_jo;
