import { afterEach, describe, expect, test } from '@jest/globals';
import { expectError, startService } from '../support/service.ts';
import { healthOnce } from '../support/health.ts';
import type { Service } from '../support/service.ts';

let service: Service;
afterEach(() => service.close());

const from = (address: string) => ({ 'x-forwarded-for': address });

test('a user above the rate limit gets 429 at every address, and another user gets 200', async () => {
  service = await startService({ limits: { perUser: 2, perIp: 100 }, trustProxy: 1 });
  const token = await service.token('CLIENT', [], { sub: 'one' });
  const ask = (address: string) => service.ask('GET /api/auth/profile', { token, headers: from(address) });
  expect((await ask('203.0.113.1')).status).toBe(200);
  const last = await ask('203.0.113.2');
  expect(last.status).toBe(200);
  expect(last.headers['ratelimit']).toMatch(/"address"; r=99; t=\d+, "user"; r=0; t=\d+/);
  expect(last.headers['ratelimit-policy']).toMatch(/"address"; q=100; w=60.*"user"; q=2; w=60/);

  const answer = await ask('203.0.113.3');
  expectError(answer, 'ERROR_RATE_LIMITED');
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  expect(answer.headers['ratelimit']).toMatch(/"user"; r=0/);

  const other = await service.token('CLIENT', [], { sub: 'two' });
  expect((await service.ask('GET /api/auth/profile', { token: other })).status).toBe(200);
});

test('one user’s requests count together, whatever token, path, letter case or header the user sends', async () => {
  service = await startService({ limits: { perUser: 3, perIp: 100 } });
  const claims = { sub: 'idp|Same' };
  const statusOf = async (line: string, token: string, headers = {}) =>
    (await service.ask(line, { token, headers })).status;
  const first = await service.token('CLIENT', [], claims);
  const later = await service.token('TAX_SPECIALIST', [], { ...claims, name: 'Another', jti: 'x' });
  expect(await statusOf('GET /api/auth/profile', first)).toBe(200);
  expect(await statusOf('GET /API/auth/profile', later)).toBe(404);
  expect(await statusOf('GET /api/auth/profile?x=1', first, { 'x-forwarded-for': '203.0.113.9' })).not.toBe(429);
  expect(await statusOf('GET /api/sites', later)).toBe(429);
  expect(await statusOf('GET //api/auth/profile', first, { authorization: `bearer ${first}` })).toBe(429);
  // A token’s subject in other letter case is another user for the rate limit, as in the database.
  const other = await service.token('CLIENT', [], { sub: 'idp|same' });
  expect(await statusOf('GET /api/auth/profile', other)).toBe(200);
});

test('a login counts as a request of its user: a user above the rate limit cannot log in, and another user can', async () => {
  service = await startService({ limits: { perUser: 2, perIp: 100 } });
  const logIn = (token: string) => service.ask('POST /api/auth/login', { body: { token } });
  const one = await service.token('CLIENT', [], { sub: 'one' });
  expect((await service.ask('GET /api/auth/profile', { token: one })).status).toBe(200);
  const last = await logIn(one);
  expect(last.status).toBe(200);
  expect(last.headers['ratelimit']).toMatch(/"address"; r=98; t=\d+, "user"; r=0; t=\d+/);
  const answer = await logIn(one);
  expectError(answer, 'ERROR_RATE_LIMITED');
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  expectError(await service.ask('GET /api/auth/profile', { token: one }), 'ERROR_RATE_LIMITED');
  expect((await logIn(await service.token('CLIENT', [], { sub: 'two' }))).status).toBe(200);
});

describe('an IP address above the rate limit gets 429', () => {
  test('an address above the rate limit gets 429 before its token is checked, and another address does not', async () => {
    service = await startService({ limits: { perUser: 100, perIp: 2 }, trustProxy: 1 });
    const ask = (address: string) => service.ask('GET /api/clients', { headers: from(address) });
    expect((await ask('203.0.113.1')).status).toBe(401);
    expect((await service.ask('POST /api/auth/login', { body: {}, headers: from('203.0.113.1') })).status).toBe(400);
    const answer = await ask('203.0.113.1');
    expectError(answer, 'ERROR_RATE_LIMITED');
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    expect((await ask('203.0.113.2')).status).toBe(401);
  });

  test('the rate limit counts an address with and without its port, and an IPv6 subnet, as one address', async () => {
    service = await startService({ limits: { perUser: 100, perIp: 1 }, trustProxy: 1 });
    const status = async (address: string) => (await service.ask('GET /x', { headers: from(address) })).status;
    expect(await status('203.0.113.1:1000')).toBe(401);
    expect(await status('203.0.113.1:2000')).toBe(429);
    expect(await status('[2001:db8::1]:1000')).toBe(401);
    expect(await status('2001:db8::2')).toBe(429);
    expect(await status('2001:db8:1::1')).toBe(401);
  });

  test('the rate limit counts every notation of an IPv6 address, and of an IPv4 address in IPv6, as one address', async () => {
    service = await startService({ limits: { perUser: 100, perIp: 1 }, trustProxy: 1 });
    const statuses = async (...addresses: string[]) => {
      const found = [];
      for (const address of addresses) found.push((await service.ask('GET /x', { headers: from(address) })).status);
      return found;
    };
    expect(await statuses('2001:db8:a::1', '2001:DB8:A::1', '2001:0db8:000a:0:0:0:0:1')).toEqual([...[401, 429, 429]]);
    expect(
      await statuses('198.51.100.7', '::ffff:198.51.100.7', '::FFFF:c633:6407', '0:0:0:0:0:ffff:198.51.100.7'),
    ).toEqual([401, 429, 429, 429]);
    // Two different IPv4 addresses in IPv6 notation are two addresses, not one IPv6 subnet.
    expect(await statuses('::ffff:198.51.100.8', '::ffff:198.51.100.9')).toEqual([401, 401]);
    expect(await statuses('unknown', 'UNKNOWN')).toEqual([401, 429]);
  });

  test('all subnets of one IPv6 network together can send four times as many requests as one address', async () => {
    service = await startService({ limits: { perUser: 100, perIp: 2 }, trustProxy: 1 });
    const ask = (address: string) => service.ask('GET /x', { headers: from(address) });
    const statuses = [];
    for (let subnet = 0; subnet < 10; subnet += 1)
      statuses.push((await ask(`2001:db8:0:${subnet.toString(16)}::1`)).status);
    expect(statuses).toEqual([...Array<number>(8).fill(401), 429, 429]);
    const answer = await ask('2001:db8:0:ff::1');
    expectError(answer, 'ERROR_RATE_LIMITED');
    expect(answer.headers['ratelimit-policy']).toMatch(/"address"; q=2; w=60.*"network"; q=8; w=60/);
    expect((await ask('2001:db8:0:100::1')).status).toBe(401);
    expect((await ask('203.0.113.1')).headers['ratelimit-policy']).not.toContain('network');
  });

  test('without a trusted proxy the rate limit ignores the address in X-Forwarded-For', async () => {
    service = await startService({ limits: { perUser: 100, perIp: 1 } });
    expect((await service.ask('GET /x', { headers: from('203.0.113.1') })).status).toBe(401);
    expect((await service.ask('GET /x', { headers: from('203.0.113.2') })).status).toBe(429);
  });

  test('requests for /health do not count towards the rate limit of an address', async () => {
    service = await startService({ limits: { perUser: 1, perIp: 1 } });
    for (let count = 0; count < 5; count += 1) expect((await service.ask('GET /health')).status).not.toBe(429);
    await healthOnce(service, 200);
    expect((await service.ask('GET /x')).status).toBe(401);
    expect((await service.ask('GET /x')).status).toBe(429);
  });
});
