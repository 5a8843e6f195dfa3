import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { ask } from '../support/http.ts';
import { person } from '../support/people.ts';
import type { Person } from '../support/people.ts';
import { pdf, png } from '../support/samples.ts';
import { expectError, expectInvalid, expectRefusal, startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';
import { upload } from '../support/upload.ts';

/* Addresses of documents that take no token: what they open, for whom, until when, and what they may do in a page. */

const DESK = 'https://desk.firm.example';

let logged = '';

const service = await forSuite(
  startService({
    corsOrigins: [DESK],
    log: pino({ level: 'trace' }, { write: (line) => (logged += line) }),
  }),
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
  return {
    status: answer.status,
    headers: answer.headers,
    bytes: Buffer.from(await answer.arrayBuffer()),
  };
}

const open = (url: string) => service.ask(`GET ${url}`);

describe('the address of a document', () => {
  test('shows a PDF in a page of the firm, without a token, as often as it is asked within its minute', async () => {
    const url = await linked(await attach(pdf, 'relevé.pdf'));
    for (const time of ['once', 'again']) {
      const answer = await show(url);
      expect([time, answer.status, answer.bytes]).toEqual([time, 200, pdf]);
      expect(answer.headers.get('content-type')).toBe('application/pdf');
      expect(answer.headers.get('content-disposition')).toMatch(/^inline; .*filename\*=UTF-8''relev%C3%A9\.pdf$/);
    }
  });

  test('can do nothing in that page, is kept nowhere, and is told to no other', async () => {
    const { headers } = await show(await linked(await attach(png, 'plan.png')));
    expect(headers.get('content-disposition')).toBe('inline; filename=plan.png');
    expect(headers.get('content-security-policy')).toBe(`sandbox; default-src 'none'; frame-ancestors 'self' ${DESK}`);
    expect(headers.get('cache-control')).toBe('private, no-store');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin');
    expect(headers.get('x-frame-options')).toBeNull();
  });

  test('is of the service’s own pages alone where no other origin is configured', async () => {
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
    ['text', 'nom;é\n', 'x.csv', undefined],
    ['what a DBA called a page', '<script>', 'x.txt', 'text/html'],
    ['a drawing that may hold a script', '<svg/>', 'x.txt', 'image/svg+xml'],
    ['what has no type', 'x', 'x.txt', null],
  ])('saves %s, and shows it in no page', async (_what, bytes, name, type) => {
    const id = await attach(bytes, name);
    if (type !== undefined) await service.sql`update public.documents set mime_type = ${type} where id = ${id}`;
    const answer = await show(await linked(id));
    expect([answer.status, answer.bytes.toString()]).toEqual([200, bytes]);
    expect(answer.headers.get('content-disposition')).toBe(`attachment; filename=${name}`);
  });

  test('gives parts, as viewers of PDF ask for them, and by HEAD no content', async () => {
    const url = await linked(await attach());
    const part = await show(url, { range: 'bytes=0-3' });
    expect([part.status, part.bytes.toString()]).toEqual([206, '%PDF']);
    const head = await show(url, {}, 'HEAD');
    expect([head.status, head.bytes.length, head.headers.get('content-length')]).toEqual([200, 0, String(pdf.length)]);
  });

  test('opens nothing else: no other document, no record, no write', async () => {
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

  test('is not opened by a token that is none, and a token needs no address', async () => {
    const id = await attach();
    const url = await linked(id);
    const nonsense = await service.ask(`GET ${url}`, { token: 'nonsense' });
    await expectRefusal(service, nonsense, 'ERROR_UNAUTHORIZED');
    const made = `GET /api/documents/${id}/content?link=${'a'.repeat(64)}`;
    const asCaller = await service.ask(made, { token: manager });
    expect([asCaller.status, asCaller.headers['content-disposition']]).toEqual([200, 'attachment; filename=avis.pdf']);
    expectInvalid(await service.ask(`${made}x`, { token: manager }), ['link']);
  });
});

describe('an address is refused, and the refusal recorded,', () => {
  test('once its minute is over', async () => {
    const id = await attach();
    const url = await linked(id);
    expect((await open(url)).status).toBe(200);
    await service.sql`update app.document_links set expires_at = now() where document_id = ${id}`;
    await expectRefusal(service, await open(url), 'ERROR_UNAUTHORIZED', {
      actor: 'anonymous',
      action: `GET /api/documents/${id}/content`,
    });
  });

  test('where nobody made it', async () => {
    for (const secret of ['a'.repeat(64), '', "' or true --", 'x'.repeat(5_000)]) {
      const url = `/api/documents/${await attach()}/content?link=${encodeURIComponent(secret)}`;
      await expectRefusal(service, await open(url), 'ERROR_UNAUTHORIZED', { actor: 'anonymous' });
    }
  });

  const CHANGES: readonly (readonly [string, (user: Person) => Promise<unknown>])[] = [
    ['was disabled', ({ id }) => service.sql`update public.users set is_active = false where id = ${id}`],
    ['has lost the client', ({ id }) => service.sql`update public.users set client_access = '{}' where id = ${id}`],
    ['has another role', ({ id }) => service.sql`update public.users set role = 'CLIENT' where id = ${id}`],
  ];

  test.each(CHANGES)('where its maker %s between the two', async (_what, change) => {
    const id = await attach();
    const maker = await person(service, 'TAX_SPECIALIST', [own.clients]);
    const url = await linked(id, maker.token);
    expect((await open(url)).status).toBe(200);
    await change(maker);
    await expectRefusal(service, await open(url), 'ERROR_UNAUTHORIZED', {
      actor: maker.subject,
      resource_type: 'documents',
      resource_id: id,
    });
  });

  test('where the claim of its document went to somebody else meanwhile, with that client', async () => {
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

test('an address of a document that was deleted is 404', async () => {
  const id = await attach();
  const url = await linked(id);
  expect((await service.ask(`DELETE /api/documents/${id}`, { token: manager })).status).toBe(204);
  expectError(await open(url), 'ERROR_NOT_FOUND');
});

test('nobody has an address of a document of another tenant, nor of none', async () => {
  const stranger = await service.token('CLIENT', [foreign.clients]);
  const id = await attach();
  await expectRefusal(
    service,
    await service.ask(`POST /api/documents/${id}/link`, { token: stranger }),
    'ERROR_FORBIDDEN',
    { client_context: own.clients, resource_id: id },
  );
  const nobody = await service.ask(`POST /api/documents/${randomUUID()}/link`, { token: manager });
  expectError(nobody, 'ERROR_NOT_FOUND');
});

test.each(['ADMIN', 'ACCOUNT_MANAGER', 'TAX_SPECIALIST', 'CLIENT'] as const)(
  'whoever reads a document has an address of it, as %s, with a list of clients or with all',
  async (role) => {
    const id = await attach();
    const lists = [[own.clients], [own.clients, foreign.clients], ...(role === 'ADMIN' ? [[]] : [])];
    for (const list of lists) {
      const url = await linked(id, await service.token(role, list));
      expect((await open(url)).status).toBe(200);
    }
  },
);

test('an address is good at every other instance, and at one that was started since', async () => {
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

test('downloads by an address count as requests of its maker', async () => {
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

test('the secret of an address stands in no log, no audit record and no table; those that are over are forgotten', async () => {
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
