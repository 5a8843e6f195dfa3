import type { Breakage } from './breakage.ts';

export const rolesAndMemberships: readonly Breakage[] = [
  {
    title: 'the owner logs in',
    lets: 'whoever has the password owns every table',
    make: `alter role taxclaims_owner login password 'owner'`,
  },
  {
    title: 'a request role logs in',
    lets: 'a session of administrators without the API and its audit fields',
    make: `alter role taxclaims_admin login password 'admin'`,
  },
  {
    title: 'a request role makes roles',
    lets: 'a request of a client makes logins',
    make: 'alter role taxclaims_client createrole',
  },
  {
    title: 'the API has a request role’s rights without becoming it',
    lets: 'a statement outside a request reads the whole system',
    make: 'grant taxclaims_admin to taxclaims_api with inherit true',
    since: 16,
  },
  {
    title: 'a role for support that may become an ADMIN, and the auditor in it',
    lets: 'an auditor reads everything as an ADMIN',
    make: 'create role support noinherit; grant taxclaims_admin to support; grant support to auditor_anna',
  },
  {
    title: 'the owner for the login of the API',
    lets: 'the API alters tables and policies',
    make: 'grant taxclaims_owner to api_production',
  },
  {
    title: 'the definer for an auditor',
    lets: 'an auditor becomes who writes audit records',
    make: 'grant taxclaims_definer to auditor_anna',
  },
  {
    title: 'a team’s role that reads all data, and the BI login in the team',
    lets: 'a BI login reads the verifiers of all logins and the hashes of its clients’ users',
    make: 'create role analysts; grant pg_read_all_data to analysts; grant analysts to bi_acme',
  },
  {
    title: 'an auditor writes files of the server',
    lets: 'an auditor overwrites pg_hba.conf, and is whoever they like',
    make: 'grant pg_write_server_files to auditor_anna',
  },
  {
    title: 'programs of the server for the owner',
    lets: 'a member of the owner’s role is the server’s user, and so a superuser',
    make: 'grant pg_execute_server_program to taxclaims_owner',
  },
  {
    title: 'an auditor past row-level security',
    lets: 'an auditor reads all records',
    make: 'alter role auditor_anna bypassrls',
  },
  {
    title: 'the definer past row-level security',
    lets: 'no policy holds any function of the house',
    make: 'alter role taxclaims_definer bypassrls',
  },
  {
    title: 'replication for a BI login',
    lets: 'a BI login takes a copy of the whole cluster',
    make: 'alter role bi_acme replication',
  },
  {
    title: 'the API’s login is a superuser, "for the migration"',
    lets: 'no policy holds the API',
    make: 'alter role api_production superuser',
  },
  {
    title: 'the API’s login owns the database',
    lets: 'the API grants, and is pg_database_owner',
    make: 'alter database :"DBNAME" owner to api_production',
  },
  {
    title: 'one login for API and BI',
    lets: 'whoever has the API’s password also runs reports as a grantee',
    make: 'grant taxclaims_reporting to api_production',
  },
  {
    title: 'a request role for a BI login',
    lets: 'the BI login becomes a client of whichever clients it sets',
    make: 'grant taxclaims_client to bi_acme',
  },
  {
    title: 'the API’s role for a BI login, without inheritance',
    lets: 'the BI login becomes any request role',
    make: 'grant taxclaims_api to bi_acme with inherit false',
    since: 16,
  },
  {
    title: 'all clients for all BI logins',
    lets: 'every BI login reads every client',
    make: 'grant taxclaims_reporting_all to taxclaims_reporting',
  },
  {
    title: 'all clients for a team of analysts, in which a BI login is',
    lets: 'the BI login reads every client without a record of it',
    make: 'create role analysts; grant taxclaims_reporting_all to analysts; grant analysts to bi_acme',
  },
  {
    title: 'clients are auditors',
    lets: 'a tenant reads the refusals of all, and the audit',
    make: 'grant taxclaims_auditor to taxclaims_client',
  },
  {
    title: 'an auditor’s login for a BI login',
    lets: 'the BI login becomes the auditor',
    make: 'grant auditor_anna to bi_acme',
  },
  {
    title: 'the API’s login may let others in',
    lets: 'the API makes any role a login of the API',
    make: 'grant taxclaims_api to api_production with admin option',
  },
  {
    title: 'the definer has what the owner has',
    lets: 'each definer function runs with the owner’s rights',
    make: 'alter role taxclaims_definer inherit; grant taxclaims_owner to taxclaims_definer',
  },
  {
    title: 'BI logins see everybody’s statements',
    lets: 'a BI login reads the texts of the API’s statements and their values',
    make: 'grant pg_read_all_stats to taxclaims_reporting',
  },
  {
    title: 'a BI login ends sessions',
    lets: 'a BI login cuts the API off',
    make: 'grant pg_signal_backend to bi_acme',
  },
  {
    title: 'two roles of the cast exchange their names',
    lets: 'whoever is a CLIENT works with the rights of an ADMIN',
    make: `alter role taxclaims_client rename to swap;
           alter role taxclaims_admin rename to taxclaims_client;
           alter role swap rename to taxclaims_admin`,
  },
  {
    title: 'a CREATEROLE admin who may give out the API’s role',
    lets: 'an administrator who is no superuser makes themselves a login of the API',
    make: `create role hr login createrole password 'hr';
           grant taxclaims_api, taxclaims_reporting_all to hr with admin option`,
  },
  {
    title: 'a team’s role in the owner’s, and the BI login in the team',
    lets: 'the BI login becomes the owner and grants itself all',
    make: 'create role devs; grant taxclaims_owner to devs; grant devs to bi_acme',
  },
  {
    title: 'a login of another application in the database’s owner',
    lets: 'it changes settings of and rights on the database',
    make: 'create role dba_team; alter database :"DBNAME" owner to dba_team; grant dba_team to reporter_jo',
  },
];
