import { describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { ask } from '../support/http.ts';
import { person } from '../support/people.ts';
import type { Person } from '../support/people.ts';
import { pdf, png } from '../support/samples.ts';
import { expectError, expectInvalid, expectRefusal, startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';
import { upload } from '../support/upload.ts';

/* These tests check the content, headers, expiry and rights of document links, which need no token. */

const DESK = 'https://desk.firm.example';

let logged = '';

const service = await forSuite(
  startService({ corsOrigins: [DESK], log: pino({ level: 'trace' }, { write: (line) => (logged += line) }) }),
);
const own = await service.tenant('Own');
const foreign = await service.tenant('Foreign');
const manager = await service.token('ACCOUNT_MANAGER', [own.clients]);

async function attach(bytes: Buffer | string = pdf, name = 'avis.pdf'): Promise<string> {
  const { status, json } = await upload(service, manager, own.reclamations, { name, bytes });
  expect(status).toBe(201);
  return (json as { id: string }).id;
}

async function linked(id: string, token = manager): Promise<string> {
  const answer = await service.ask(`POST /api/documents/${id}/link`, { token });
  expect(answer.status).toBe(200);
  const { url, expires_at: end, ...others } = answer.json as Record<string, string>;
  expect(others).toEqual({});
  expect(url).toMatch(new RegExp(`^/api/documents/${id}/content\\?link=[0-9a-f]{64}$`));
  const [row] = await service.sql`select expires_at, created_at + interval '1 minute' >= expires_at as is_short
    from (select l.*, now() as created_at from app.document_links as l order by expires_at desc limit 1) as l`;
  expect(row?.['expires_at']).toEqual(new Date(String(end)));
  return String(url);
}

interface Shown {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
}

async function show(url: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Shown> {
  const answer = await fetch(`http://127.0.0.1:${service.port}${url}`, { method, headers });
  return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) };
}

const open = (url: string) => service.ask(`GET ${url}`);

test('a document link shows a PDF in a page without a token, as often as it is opened within a minute', async () => {
  const url = await linked(await attach(pdf, 'relevé.pdf'));
  for (const time of ['once', 'again']) {
    const answer = await show(url);
    expect([time, answer.status, answer.bytes]).toEqual([time, 200, pdf]);
    expect(answer.headers.get('content-type')).toBe('application/pdf');
    expect(answer.headers.get('content-disposition')).toMatch(/^inline; .*filename\*=UTF-8''relev%C3%A9\.pdf$/);
  }
});

test('a document opened by a link is sandboxed, is not cached, and sends no referrer', async () => {
  const { headers } = await show(await linked(await attach(png, 'plan.png')));
  expect(headers.get('content-disposition')).toBe('inline; filename=plan.png');
  expect(headers.get('content-security-policy')).toBe(`sandbox; default-src 'none'; frame-ancestors 'self' ${DESK}`);
  expect(headers.get('cache-control')).toBe('private, no-store');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('referrer-policy')).toBe('no-referrer');
  expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin');
  expect(headers.get('x-frame-options')).toBeNull();
});

test('browsers let only the service’s own pages embed a document by its link if no other origin is configured', async () => {
  const alone = await startService();
  try {
    const { clients, documents } = await alone.furnishedTenant('Own');
    await alone.sql`update public.documents set mime_type = 'application/pdf' where id = ${documents}`;
    const token = await alone.token('CLIENT', [clients]);
    const { json } = await alone.ask(`POST /api/documents/${documents}/link`, { token });
    const { headers } = await alone.ask(`GET ${(json as { url: string }).url}`);
    expect(headers['content-security-policy']).toBe("sandbox; default-src 'none'; frame-ancestors 'self'");
    expect(headers['cross-origin-resource-policy']).toBe('same-origin');
  } finally {
    await alone.close();
  }
});

test.each([
  { content: 'text', bytes: 'nom;é\n', name: 'x.csv', type: undefined },
  { content: 'a page of HTML', bytes: '<script>', name: 'x.txt', type: 'text/html' },
  { content: 'an SVG, which may contain scripts,', bytes: '<svg/>', name: 'x.txt', type: 'image/svg+xml' },
  { content: 'a document without a type', bytes: 'x', name: 'x.txt', type: null },
])(
  'a document link downloads $content instead of showing the content in the browser',
  async ({ bytes, name, type }) => {
    const id = await attach(bytes, name);
    if (type !== undefined) await service.sql`update public.documents set mime_type = ${type} where id = ${id}`;
    const answer = await show(await linked(id));
    expect([answer.status, answer.bytes.toString()]).toEqual([200, bytes]);
    expect(answer.headers.get('content-disposition')).toBe(`attachment; filename=${name}`);
  },
);

test('a document link serves byte ranges, which PDF viewers request, and no content by HEAD', async () => {
  const url = await linked(await attach());
  const part = await show(url, { range: 'bytes=0-3' });
  expect([part.status, part.bytes.toString()]).toEqual([206, '%PDF']);
  const head = await show(url, {}, 'HEAD');
  expect([head.status, head.bytes.length, head.headers.get('content-length')]).toEqual([200, 0, String(pdf.length)]);
});

test('the secret of a document link opens no other document, no record and no write', async () => {
  const [id, other] = [await attach(), await attach()];
  const url = await linked(id);
  const secret = new URLSearchParams(url.split('?')[1]).get('link') ?? '';
  for (const line of [
    `GET /api/documents/${other}/content?link=${secret}`,
    `GET /api/documents/${id}?link=${secret}`,
    `DELETE /api/documents/${id}?link=${secret}`,
    `POST /api/documents/${id}/content?link=${secret}`,
    `GET /api/documents/${id}/content?link=${secret}&link=${secret}`,
    `GET /api/documents/${id}/content/?link=${secret}`,
    `GET /api/clients?link=${secret}`,
  ])
    await expectRefusal(service, await service.ask(line), 'ERROR_UNAUTHORIZED', { actor: 'anonymous' });
  expect((await open(url)).status).toBe(200);
});

test('a document link opened with an invalid token gets 401, and a valid token opens the document without a link', async () => {
  const id = await attach();
  const url = await linked(id);
  const nonsense = await service.ask(`GET ${url}`, { token: 'nonsense' });
  await expectRefusal(service, nonsense, 'ERROR_UNAUTHORIZED');
  const made = `GET /api/documents/${id}/content?link=${'a'.repeat(64)}`;
  const asCaller = await service.ask(made, { token: manager });
  expect([asCaller.status, asCaller.headers['content-disposition']]).toEqual([200, 'attachment; filename=avis.pdf']);
  expectInvalid(await service.ask(`${made}x`, { token: manager }), ['link']);
});

describe('an invalid document link opens no document', () => {
  test('a document link with an unknown secret gets 401, and the refusal is audited as anonymous', async () => {
    for (const secret of ['a'.repeat(64), '', "' or true --", 'x'.repeat(5_000)]) {
      const url = `/api/documents/${await attach()}/content?link=${encodeURIComponent(secret)}`;
      await expectRefusal(service, await open(url), 'ERROR_UNAUTHORIZED', { actor: 'anonymous' });
    }
  });

  const CHANGES = [
    {
      change: 'becomes inactive',
      apply: ({ id }: Person) => service.sql`update public.users set is_active = false where id = ${id}`,
    },
    {
      change: 'loses the client',
      apply: ({ id }: Person) => service.sql`update public.users set client_access = '{}' where id = ${id}`,
    },
    {
      change: 'gets another role',
      apply: ({ id }: Person) => service.sql`update public.users set role = 'CLIENT' where id = ${id}`,
    },
  ];

  test.each(CHANGES)(
    'a document link gets 401 if its creator $change, and the audit record names the creator',
    async ({ apply }) => {
      const id = await attach();
      const maker = await person(service, 'TAX_SPECIALIST', [own.clients]);
      const url = await linked(id, maker.token);
      expect((await open(url)).status).toBe(200);
      await apply(maker);
      await expectRefusal(service, await open(url), 'ERROR_UNAUTHORIZED', {
        actor: maker.subject,
        resource_type: 'documents',
        resource_id: id,
      });
    },
  );

  test('a document link gets 403 if its document has moved to another client, and the audit record names that client', async () => {
    const id = await attach();
    const url = await linked(id);
    await service.sql`update public.documents set reclamation_id = ${foreign.reclamations} where id = ${id}`;
    await expectRefusal(service, await open(url), 'ERROR_FORBIDDEN', {
      actor: 'idp|ACCOUNT_MANAGER',
      client_context: foreign.clients,
      resource_id: id,
    });
  });
});

test('a document link gets 404 if its document is deleted', async () => {
  const id = await attach();
  const url = await linked(id);
  expect((await service.ask(`DELETE /api/documents/${id}`, { token: manager })).status).toBe(204);
  expectError(await open(url), 'ERROR_NOT_FOUND');
});

test.each(['ADMIN', 'ACCOUNT_MANAGER', 'TAX_SPECIALIST', 'CLIENT'] as const)(
  'a user with the role %s gets a document link for a document that the user is allowed to read',
  async (role) => {
    const id = await attach();
    const lists = [[own.clients], [own.clients, foreign.clients], ...(role === 'ADMIN' ? [[]] : [])];
    for (const list of lists) {
      const url = await linked(id, await service.token(role, list));
      expect((await open(url)).status).toBe(200);
    }
  },
);

test('a document link works at every instance of the service, also at an instance that starts later', async () => {
  const store = { kind: 'folder', path: service.documentFolder } as const;
  const id = await attach();
  const url = await linked(id);
  const other = await startService({ postgres: service.postgres, documents: { store } });
  try {
    const answer = await ask(other.port, `GET ${url}`);
    expect([answer.status, answer.text]).toEqual([200, pdf.toString()]);
  } finally {
    await other.close();
  }
});

test('downloads by a document link count towards the rate limit of its creator', async () => {
  const limited = await startService({ limits: { perUser: 3, perIp: 1_000 } });
  try {
    const { clients, documents } = await limited.furnishedTenant('Own');
    const token = await limited.token('CLIENT', [clients]);
    const { json } = await limited.ask(`POST /api/documents/${documents}/link`, { token });
    const { url } = json as { url: string };
    const answers = [1, 2, 3].map(() => limited.ask(`GET ${url}`));
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([200, 200, 429]);
  } finally {
    await limited.close();
  }
});

test('the secret of a document link is in no log, audit record or table, and expired links are deleted', async () => {
  const id = await attach();
  const url = await linked(id);
  const secret = url.split('=')[1] ?? '';
  expect((await open(url)).status).toBe(200);
  await service.sql`update app.document_links set expires_at = now() where document_id = ${id}`;
  await expectRefusal(service, await open(url), 'ERROR_UNAUTHORIZED');
  expect(logged).toContain(`GET /api/documents/${id}/content`);
  expect(logged).not.toContain(secret);
  const [kept] = await service.sql`select
    (select count(*)::integer from app.document_links as l where l::text like '%' || ${secret} || '%') as links,
    (select count(*)::integer from public.audit_logs as a where a::text like '%' || ${secret} || '%') as records`;
  expect(kept).toEqual({ links: 0, records: 0 });
  await service.sql`select app.forget_answers(1)`;
  expect(await service.sql`select from app.document_links where document_id = ${id}`).toEqual([]);
});
