import { expect, test } from '@jest/globals';
import { pino } from 'pino';
import { migrate } from '../../src/admin/deploy/migrate.ts';
import { withAdmin } from '../support/database.ts';
import { createTestLogger } from '../support/test-logger.ts';
import { forSuite } from '../support/suite.ts';
import { openHome } from './homes.ts';

/* These tests check what a deploy says before it changes anything on a bought Postgres. */

const log = pino({ level: 'silent' });
const home = await forSuite(openHome('supabase'));

async function refusalOf(adminUrl: string): Promise<string> {
  return migrate({ adminUrl, log }).then(
    () => 'deployed',
    (error: unknown) => (error as Error).message,
  );
}

test.each([
  [
    'neither CREATEROLE nor the rights of the database’s owner',
    'bare',
    '',
    'bare cannot deploy here: it has neither CREATEROLE nor the rights of postgres, the owner of the database postgres, ' +
      'and a Postgres where no login can have both (Heroku) cannot run this service',
  ],
  [
    'no CREATEROLE',
    'powerless',
    'in role postgres',
    'powerless cannot deploy here: it needs CREATEROLE, because this deploy creates taxclaims_owner, taxclaims_definer, ' +
      'taxclaims_housekeeper, taxclaims_api, taxclaims_admin, taxclaims_scoped_admin, taxclaims_account_manager, ' +
      'taxclaims_tax_specialist, taxclaims_client, taxclaims_reporting, 3 more (alter role powerless createrole; or another login in DATABASE_ADMIN_URL)',
  ],
  [
    'no rights of the database’s owner, and a name that needs quotes',
    'Powerless-Too',
    'createrole',
    '"Powerless-Too" cannot deploy here: it needs the rights of postgres, the owner of the database postgres ' +
      '(grant postgres to "Powerless-Too"; or let a role that both logins are in own the database)',
  ],
])('a deploy by a login with %s changes nothing, and says what is missing', async (_what, name, rights, message) => {
  await withAdmin(home.providerUrl, (provider) => provider.query(`create role "${name}" login password 'x' ${rights}`));
  const url = new URL(home.adminUrl);
  url.username = name;
  url.password = 'x';
  expect(await refusalOf(url.href)).toBe(message);
  await withAdmin(home.providerUrl, async (provider) => {
    const { rows } = await provider.query(`select rolname from pg_roles where starts_with(rolname, 'taxclaims_')`);
    expect(rows).toEqual([]);
    await provider.query(`drop role "${name}"`);
  });
});

test('a deploy with an address without the password says that the address has none', async () => {
  const url = new URL(home.adminUrl);
  url.password = '';
  expect(await refusalOf(url.href)).toBe(
    'no connection to the database at DATABASE_ADMIN_URL: the server asks for a password, and the address of the database has none',
  );
});

test('the first deploy says which logins lose CONNECT, and which roles lose the schema public and default privileges there, before they lose them, and a later deploy says nothing', async () => {
  const { log: hears, loggedText } = createTestLogger();
  await migrate({ adminUrl: home.adminUrl, log: hears });
  const [lost, applied] = [
    'revokes CONNECT from PUBLIC, and so from authenticator, supabase_auth_admin',
    'applying ',
  ].map((text) => loggedText().indexOf(text));
  expect(lost).toBeGreaterThan(0);
  expect(applied).toBeGreaterThan(lost ?? 0);
  expect(loggedText()).toContain('revokes every right to the schema public from anon, authenticated, service_role: ');
  const ended = /revokes the default privileges in the schema public of ([^:]*):/.exec(loggedText());
  expect(ended?.[1]?.split(', ')).toEqual(
    ['anon', 'authenticated', 'service_role'].flatMap((role) =>
      ['functions', 'sequences', 'tables'].map((objects) => `${role} on new ${objects} of postgres`),
    ),
  );
  expect(ended?.index).toBeLessThan(applied ?? 0);
  // pgbouncer has CONNECT by a grant of its own.
  expect(loggedText()).not.toMatch(/PUBLIC, and so from [^:]*pgbouncer/);
  await withAdmin(home.providerUrl, async (provider) => {
    const { rows } = await provider.query(
      `select has_database_privilege('authenticator', 'postgres', 'CONNECT') as connects,
              has_database_privilege('pgbouncer', 'postgres', 'CONNECT') as pools,
              has_schema_privilege('anon', 'public', 'USAGE') as uses`,
    );
    expect(rows).toEqual([{ connects: false, pools: true, uses: false }]);
    // The default privileges of supabase_admin are the provider's.
    const { rows: owners } = await provider.query(
      `select distinct pg_get_userbyid(defaclrole) as owner from pg_default_acl where defaclnamespace = 'public'::regnamespace`,
    );
    expect(owners).toEqual([{ owner: 'supabase_admin' }]);
  });
  const { log: again, loggedText: later } = createTestLogger();
  await migrate({ adminUrl: home.adminUrl, log: again });
  expect(later()).not.toContain('this first deploy');
});
