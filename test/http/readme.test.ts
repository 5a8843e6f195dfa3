import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { loadDemonstration } from '../support/demonstration.ts';
import { startService } from '../support/service.ts';
import type { Service } from '../support/service.ts';

/* The README's chapter "From a frontend" does what it says, on the demonstration, as one module. */

const CLIENT = 'c1000000-0000-4000-8000-000000000001';

let service: Service;

beforeAll(async () => {
  service = await startService();
  await loadDemonstration(service);
});
afterAll(() => service.close());

/** The code of a chapter, with other words in the place of some that stand in it once. */
async function codeOf(chapter: string, replaced: Readonly<Record<string, string>>): Promise<string> {
  const readme = await readFile(join(import.meta.dirname, '..', '..', 'README.md'), 'utf8');
  const [text = ''] = readme.split(`\n### ${chapter}\n`)[1]?.split(/\n##/) ?? [];
  let code = [...text.matchAll(/```js\n(.*?)```/gs)].map(([, block = '']) => block).join('');
  expect(code.trim().split('\n').length).toBeLessThanOrEqual(40);
  for (const [old, other] of Object.entries(replaced)) {
    expect([old, code.split(old).length]).toEqual([old, 2]);
    code = code.replace(old, other);
  }
  return code;
}

test('a frontend logs in, walks the pages, changes a claim, is told of conflict and error, and uploads', async () => {
  const token = await service.token('ACCOUNT_MANAGER', [CLIENT], {
    ...{ sub: 'demonstration|marc', email: 'marc.lefevre@cabinet.example', name: 'Marc Lefèvre' },
  });
  const code = await codeOf('From a frontend', {
    'http://127.0.0.1:3000': `http://127.0.0.1:${service.port}`,
    '…': token,
    'limit=100': 'limit=1',
  });
  const told = 'console.log(JSON.stringify({ me, claims, late, refused, attached }));';
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code + told]);
  const { me, claims, late, refused, attached } = JSON.parse(stdout) as Record<string, unknown>;

  expect(me).toMatchObject({ name: 'Marc Lefèvre', role: 'ACCOUNT_MANAGER', client_access: [CLIENT] });
  const stored = await service.admin(
    `select id from public.reclamations where client_id = $1 order by created_at desc, id desc`,
    [CLIENT],
  );
  expect((claims as { id: string }[]).map(({ id }) => id)).toEqual(stored.map(({ id }) => id));
  expect(stored.length).toBeGreaterThan(2);
  expect(late).toMatchObject({ status: 412, code: 'ERROR_PRECONDITION_FAILED' });
  expect(refused).toMatchObject({ client_id: expect.any(String), site_name: expect.any(String) });
  const { id } = attached as { id: string };
  expect(
    await service.admin(
      `select r.id, r.grounds, d.filename
       from public.documents as d join public.reclamations as r on r.id = d.reclamation_id
       where d.id = $1`,
      [id],
    ),
  ).toEqual([{ id: stored[0]?.['id'], grounds: 'Base d’imposition', filename: 'avis.pdf' }]);
});
