import { describe, expect, test } from '@jest/globals';
import { startService } from '../support/service.ts';
import type { Service } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';

const service = await forSuite(startService());
const limited = await forSuite(startService({ limits: { perUser: 100, perIp: 3 } }));

const get = ({ port }: Service, path: string, headers: Record<string, string> = {}) =>
  fetch(`http://127.0.0.1:${port}${path}`, { headers });

describe('the service serves the page /docs with all its parts', () => {
  test.each(['/docs', '/docs/'])(
    'the page %s is served without a token, with a strict Content-Security-Policy',
    async (path) => {
      const answer = await get(service, path);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      const policy = answer.headers.get('content-security-policy');
      expect(policy).toContain("script-src 'self'");
      expect(policy).not.toMatch(/https?:|\*|unsafe/);
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      expect(answer.headers.get('cache-control')).toBe('no-cache');
    },
  );

  test('each script, style and image of the page /docs is served by the service below /docs, and none by another host', async () => {
    const page = await (await get(service, '/docs')).text();
    const parts = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = '']) => address);
    expect(parts.length).toBeGreaterThan(4);
    for (const part of parts) {
      expect(part).toMatch(/^docs\/[a-z0-9.-]+\.(?:css|js|png)$/);
      const answer = await get(service, `/${part}`);
      expect([part, answer.status]).toEqual([part, 200]);
      // The browser must request the scripts and styles of the page /docs again, because those of another version would
      // not fit the page.
      expect([part, answer.headers.get('cache-control')]).toEqual([part, 'no-cache']);
      const unchanged = {
        'if-modified-since': answer.headers.get('last-modified') ?? '',
        'cache-control': 'max-age=0',
      };
      expect((await get(service, `/${part}`, unchanged)).status).toBe(304);
    }
  });

  test('the page /docs does not contain the OpenAPI description, which needs a token', async () => {
    expect(await (await get(service, '/docs')).text()).not.toContain('openapi');
    expect((await get(service, '/api-json')).status).toBe(401);
    const headers = { authorization: `Bearer ${await service.token('CLIENT')}` };
    expect((await get(service, '/api-json', headers)).status).toBe(200);
  });

  test.each(['/docs/index.html', '/docs/package.json', '/docs/..%2fdocs.html', '/docs/docs.html', '/Docs'])(
    'the path %s opens no file of the page /docs: it gets 401 without a token, and 404 with one',
    async (path) => {
      expect((await get(service, path)).status).toBe(401);
      const headers = { authorization: `Bearer ${await service.token('ADMIN')}` };
      expect((await get(service, path, headers)).status).toBe(404);
    },
  );

  test('requests for the page /docs count towards the rate limit of the caller’s address', async () => {
    const answers = [];
    for (const path of ['/docs', '/docs/docs.js', '/docs/docs.css', '/docs']) answers.push(await get(limited, path));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
  });
});
