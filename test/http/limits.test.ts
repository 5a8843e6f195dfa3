import { afterEach, describe, expect, test } from '@jest/globals';
import { expectError, startService } from '../support/service.ts';
import type { Service } from '../support/service.ts';

let service: Service;
afterEach(() => service.close());

const from = (address: string) => ({ 'x-forwarded-for': address });

describe('a user beyond the requests of a minute', () => {
  test('is told to wait, from whatever address, while another user is not', async () => {
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

  test('is told so before the body is read and before the role is judged', async () => {
    service = await startService({ limits: { perUser: 1, perIp: 100 } });
    const token = await service.token('CLIENT');
    await service.ask('GET /api/nothing', { token });
    expectError(await service.ask('GET /api/nothing', { token }), 'ERROR_RATE_LIMITED');
  });
});

describe('an address beyond the requests of a minute', () => {
  test('is told to wait before its token is looked at, logins included, while another address is not', async () => {
    service = await startService({ limits: { perUser: 100, perIp: 2 }, trustProxy: 1 });
    const ask = (address: string) => service.ask('GET /api/clients', { headers: from(address) });
    expect((await ask('203.0.113.1')).status).toBe(401);
    expect(
      (await service.ask('POST /api/auth/login', { body: {}, headers: from('203.0.113.1') })).status,
    ).toBe(400);
    const answer = await ask('203.0.113.1');
    expectError(answer, 'ERROR_RATE_LIMITED');
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    expect((await ask('203.0.113.2')).status).toBe(401);
  });

  test('is the same with a port behind it, and throughout an IPv6 subnet', async () => {
    service = await startService({ limits: { perUser: 100, perIp: 1 }, trustProxy: 1 });
    const status = async (address: string) =>
      (await service.ask('GET /x', { headers: from(address) })).status;
    expect(await status('203.0.113.1:1000')).toBe(401);
    expect(await status('203.0.113.1:2000')).toBe(429);
    expect(await status('[2001:db8::1]:1000')).toBe(401);
    expect(await status('2001:db8::2')).toBe(429);
    expect(await status('2001:db8:1::1')).toBe(401);
  });

  test('cannot hide behind a header that no proxy of ours wrote', async () => {
    service = await startService({ limits: { perUser: 100, perIp: 1 } });
    expect((await service.ask('GET /x', { headers: from('203.0.113.1') })).status).toBe(401);
    expect((await service.ask('GET /x', { headers: from('203.0.113.2') })).status).toBe(429);
  });

  test('may ask for the health of the service all the same', async () => {
    service = await startService({ limits: { perUser: 1, perIp: 1 } });
    for (let count = 0; count < 5; count += 1) expect((await service.ask('GET /health')).status).toBe(200);
    expect((await service.ask('GET /x')).status).toBe(401);
    expect((await service.ask('GET /x')).status).toBe(429);
  });
});
