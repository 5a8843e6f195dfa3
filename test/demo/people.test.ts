import { expect, test } from '@jest/globals';
import { loadConfig } from '../../src/config.ts';
import type { Environment } from '../../src/config.ts';
import { isDemonstrationConfig } from '../../src/demo/people.ts';

const PROVIDER = { AUTH_ISSUER: 'https://tenant.example/', AUTH_AUDIENCE: 'https://api.example' };

test.each<[string, Environment]>([
  ['no variable is set', {}],
  ['HOST is a loopback address', { HOST: '127.1.2.3' }],
  ['HOST is the loopback address of IPv6', { HOST: '::1' }],
  ['HOST is localhost', { HOST: 'localhost' }],
])('the page /docs offers logins as the demonstration users if %s', (_when, environment) => {
  expect(isDemonstrationConfig(loadConfig(environment))).toBe(true);
});

test.each<[string, Environment]>([
  ['DATABASE_URL is set', { DATABASE_URL: 'postgres://api@db.example/taxclaims?sslmode=verify-full' }],
  ['AUTH_ISSUER is set', PROVIDER],
  ['HOST is the address 0.0.0.0', { HOST: '0.0.0.0' }],
  ['HOST is the IPv6 address ::', { HOST: '::' }],
  ['HOST is an address of a network', { HOST: '192.168.1.2' }],
  ['TRUST_PROXY is set', { TRUST_PROXY: '1' }],
])('the page /docs offers no logins as the demonstration users if %s', (_when, environment) => {
  expect(isDemonstrationConfig(loadConfig(environment))).toBe(false);
});
