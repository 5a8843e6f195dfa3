import { expect, test } from '@jest/globals';
import { loadConfig } from '../../src/config.ts';
import type { Environment } from '../../src/config.ts';
import { isDemonstrationConfig } from '../../src/embedded/people.ts';

const PROVIDER = { AUTH_ISSUER: 'https://tenant.example/', AUTH_AUDIENCE: 'https://api.example' };

test.each<[string, Environment]>([
  ['nothing is set', {}],
  ['it listens on a loopback address', { HOST: '127.1.2.3' }],
  ['it listens on that of IPv6', { HOST: '::1' }],
  ['it listens under the name of it', { HOST: 'localhost' }],
])('/docs offers the people of the demonstration if %s', (_when, environment) => {
  expect(isDemonstrationConfig(loadConfig(environment))).toBe(true);
});

test.each<[string, Environment]>([
  ['the database is another', { DATABASE_URL: 'postgres://api@db.example/taxclaims' }],
  ['the identity provider is another', PROVIDER],
  ['it listens for a network', { HOST: '0.0.0.0' }],
  ['it listens for a network over IPv6', { HOST: '::' }],
  ['it listens on an address of a network', { HOST: '192.168.1.2' }],
  ['there is a proxy in front', { TRUST_PROXY: '1' }],
])('/docs offers no people of the demonstration if %s', (_when, environment) => {
  expect(isDemonstrationConfig(loadConfig(environment))).toBe(false);
});
