import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { startPostgres } from '../../deploy/lab/postgres.ts';
import { startEmbeddedServer } from '../../src/demo/postgres/server.ts';
import { asDatabase, type TestRun, withAdmin } from '../support/database.ts';
import { createScratchFolder } from '../support/scratch.ts';

/*
 * A home is a server of Postgres that a firm buys: the provider keeps the superuser, and the firm gets an administrator
 * without SUPERUSER. This module makes such servers, each with the roles, owners and default privileges that are there
 * before the first deploy. What is emulated is what SQL shows; a provider's own extensions and hooks are not.
 */

interface HomeParts {
  /** The name of the provider's superuser. */
  readonly provider: string;
  /** The name of the firm's administrator, who deploys. */
  readonly administrator: string;
  readonly database: string;
  /** The role by which the provider marks logins that it authenticates itself. */
  readonly mark?: string;
  /** True if the administrator reads every row of every table, and can therefore dump the database. */
  readonly canDump?: boolean;
  /** SQL that makes the roles of the server. ADMINISTRATOR stands for the new administrator's `create role … login`. */
  readonly roles: string;
  /** SQL in the database `postgres`, after the roles. */
  readonly databases: string;
  /** SQL in the home's database. */
  readonly inside?: string;
}

export const HOMES = {
  rds: {
    provider: 'rdsadmin',
    administrator: 'postgres',
    database: 'taxclaims',
    mark: 'rds_iam',
    roles: `
      create role rds_superuser; create role rds_password; create role rds_replication; create role rds_iam;
      create role rdsrepladmin replication;
      grant pg_monitor, pg_signal_backend, pg_checkpoint, rds_password, rds_replication to rds_superuser with admin option;
      ADMINISTRATOR createrole createdb in role rds_superuser;`,
    databases: 'create database rdsadmin; create database taxclaims owner postgres',
  },
  neon: {
    provider: 'cloud_admin',
    administrator: 'neondb_owner',
    database: 'neondb',
    canDump: true,
    roles: `
      create role neon_superuser createdb createrole replication bypassrls;
      grant pg_read_all_data, pg_write_all_data to neon_superuser;
      grant pg_monitor, pg_signal_backend to neon_superuser with admin option;
      ADMINISTRATOR createrole createdb replication bypassrls in role neon_superuser;`,
    databases: `
      create database neondb owner neondb_owner;
      grant all on database neondb to neon_superuser`,
    inside: `
      create schema neon;
      alter default privileges in schema public grant all on tables to neon_superuser with grant option;
      alter default privileges in schema public grant all on sequences to neon_superuser with grant option`,
  },
  supabase: {
    provider: 'supabase_admin',
    administrator: 'postgres',
    database: 'postgres',
    canDump: true,
    roles: `
      create role anon; create role authenticated; create role service_role bypassrls;
      create role authenticator login noinherit in role anon, authenticated, service_role;
      create role supabase_auth_admin login noinherit createrole;
      create role supabase_storage_admin login noinherit createrole in role authenticator;
      create role supabase_replication_admin login replication;
      create role supabase_read_only_user login bypassrls in role pg_read_all_data;
      create role dashboard_user createrole createdb replication;
      create role pgbouncer login;
      ADMINISTRATOR createrole createdb replication bypassrls in role pg_read_all_data;
      grant anon, authenticated, service_role, authenticator, pg_monitor, pg_signal_backend to postgres with admin option;`,
    databases: `
      alter database postgres owner to postgres;
      grant all on database postgres to dashboard_user;
      grant connect on database postgres to pgbouncer`,
    inside: `
      create schema auth authorization supabase_auth_admin; create schema extensions; create schema pgbouncer authorization pgbouncer;
      create table auth.users (id uuid primary key, email text);
      alter table auth.users owner to supabase_auth_admin;
      grant usage on schema public, extensions to postgres, anon, authenticated, service_role;
      alter default privileges in schema public grant all on tables to postgres, anon, authenticated, service_role;
      alter default privileges in schema public grant all on functions to postgres, anon, authenticated, service_role;
      alter default privileges in schema public grant all on sequences to postgres, anon, authenticated, service_role;
      alter default privileges for role postgres in schema public grant all on tables to anon, authenticated, service_role;
      alter default privileges for role postgres in schema public grant all on functions to anon, authenticated, service_role;
      alter default privileges for role postgres in schema public grant all on sequences to anon, authenticated, service_role;
      create publication supabase_realtime; alter publication supabase_realtime owner to postgres;
      create function extensions.grant_pg_cron_access() returns event_trigger language plpgsql as 'begin end';
      create event trigger issue_pg_cron_access on ddl_command_end when tag in ('CREATE EXTENSION')
          execute function extensions.grant_pg_cron_access()`,
  },
  cloudsql: {
    provider: 'cloudsqladmin',
    administrator: 'postgres',
    database: 'taxclaims',
    mark: 'cloudsqliamserviceaccount',
    roles: `
      create role cloudsqlsuperuser createrole createdb;
      create role cloudsqliamuser; create role cloudsqliamserviceaccount; create role cloudsqliamgroup;
      create role cloudsqlagent login createrole createdb in role cloudsqlsuperuser;
      create role cloudsqlimportexport login createrole createdb in role cloudsqlsuperuser;
      create role cloudsqlreplica login replication;
      grant pg_monitor, pg_signal_backend to cloudsqlsuperuser with admin option;
      ADMINISTRATOR createrole createdb in role cloudsqlsuperuser;`,
    databases: `
      create database cloudsqladmin;
      create database taxclaims owner cloudsqlsuperuser`,
  },
  /** On this home PUBLIC has CONNECT by a grant of a role that the administrator cannot become. */
  ovh: {
    provider: 'postgres',
    administrator: 'avnadmin',
    database: 'defaultdb',
    canDump: true,
    roles: `
      create role ovh_owner; create role ovh_services; create role ovh_monitor login in role pg_monitor;
      ADMINISTRATOR createrole createdb replication bypassrls in role ovh_owner, pg_read_all_data;
      grant pg_monitor, pg_signal_backend to avnadmin with admin option;`,
    databases: `
      create database defaultdb owner ovh_owner;
      revoke connect on database defaultdb from public;
      grant connect on database defaultdb to ovh_services with grant option;
      set role ovh_services; grant connect on database defaultdb to public; reset role`,
  },
} as const satisfies Readonly<Record<string, HomeParts>>;

export type HomeName = keyof typeof HOMES;
export const HOME_NAMES = Object.keys(HOMES) as HomeName[];

export interface Home extends Omit<HomeParts, 'roles' | 'databases' | 'inside'> {
  readonly name: HomeName;
  /** The address of the home's database for the administrator, who is no superuser. */
  readonly adminUrl: string;
  /** The address of the home's database for the provider's superuser, whom no firm gets. */
  readonly providerUrl: string;
  /** Makes a login with rights such as `in role taxclaims_api`, as the administrator or the given creator. */
  createLogin(name: string, rights: string, creator?: string): Promise<{ readonly name: string; readonly url: string }>;
  close(): Promise<void>;
}

/** A server on which a home is made: the embedded one, or Debian's Postgres 15, beside which pg_dump is installed. */
export type HomeServer = 'embedded' | 'debian';

/** Starts a server of its own for a home, because roles belong to a whole server. */
export async function openHome(name: HomeName, kind: HomeServer = 'embedded'): Promise<Home> {
  const parts: HomeParts = HOMES[name];
  const { roles, databases, inside, ...known } = parts;
  const server = await (kind === 'embedded' ? startEmbedded() : startDebian());
  try {
    const provider = await renameSuperuser(server.url, parts.provider);
    const administrator = { name: parts.administrator, password: randomBytes(18).toString('base64url') };
    await withAdmin(provider, async (client) => {
      const creation = `create role ${administrator.name} login password '${administrator.password}'`;
      await client.query(roles.replace('ADMINISTRATOR', creation));
      // `create database` runs in no transaction, and therefore not together with other statements.
      for (const statement of databases.split(';')) await client.query(statement);
      await client.query('grant connect, temporary on database postgres, template1 to public');
    });
    const providerUrl = asDatabase(provider, parts.database);
    if (inside !== undefined) await withAdmin(providerUrl, (client) => client.query(inside));
    const adminUrl = asDatabase(provider, parts.database, administrator);
    return {
      ...{ ...known, name, adminUrl, providerUrl },
      createLogin: async (login, rights, creator = adminUrl) => {
        const made: TestRun['login'] = { name: login, password: randomBytes(18).toString('base64url') };
        await withAdmin(creator, (admin) =>
          admin.query(`create role ${login} login password '${made.password}' ${rights}`),
        );
        return { name: login, url: asDatabase(adminUrl, parts.database, made) };
      },
      close: () => server.close(),
    };
  } catch (error) {
    await server.close();
    throw error;
  }
}

/** Gives the superuser of a new server the provider's name, so that the administrator can have the name `postgres`. */
async function renameSuperuser(url: string, name: string): Promise<string> {
  const renamed = new URL(url);
  if (renamed.username === name) return url;
  const helper = { name: 'helper', password: randomBytes(18).toString('base64url') };
  await withAdmin(url, (client) => client.query(`create role helper superuser login password '${helper.password}'`));
  await withAdmin(asDatabase(url, 'postgres', helper), (client) =>
    client.query(`alter role postgres rename to ${name}`),
  );
  renamed.username = name;
  await withAdmin(renamed.href, (client) => client.query('drop role helper'));
  return renamed.href;
}

interface Started {
  /** The address of the database `postgres` for the superuser. */
  readonly url: string;
  close(): Promise<void>;
}

async function startEmbedded(): Promise<Started> {
  const dataDir = await createScratchFolder();
  const server = await startEmbeddedServer({ dataDir, log: pino({ level: 'silent' }) });
  const url = asDatabase(server.adminUrl, 'postgres');
  await withAdmin(url, (client) => client.query('drop database taxclaims'));
  return {
    url,
    close: async () => {
      await server.stop();
      await rm(dataDir, { recursive: true });
    },
  };
}

async function startDebian(): Promise<Started> {
  const folder = await createScratchFolder();
  const server = await startPostgres({ dir: join(folder, 'server') });
  return {
    url: server.url('postgres'),
    close: async () => {
      await server.close();
      await rm(folder, { recursive: true });
    },
  };
}
