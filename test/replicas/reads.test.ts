import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Answer } from '../support/http.ts';
import { expectError, expectRefusal } from '../support/service.ts';
import type { Service } from '../support/service.ts';
import { upload } from '../support/upload.ts';
import { PRESENT, userWithPassword } from '../support/user-with-password.ts';
import { createWorld, until, untilRead } from './world.ts';
import type { World } from './world.ts';

/* A primary, a standby whose replay stands still where a test says so, and two instances. */

let world: World;
let service: Service;
let other: Service;

beforeAll(async () => {
  world = await createWorld();
  service = await world.instance();
  other = await world.instance();
});
afterEach(async () => {
  await world.resume();
  await untilRead(service);
  await untilRead(other);
});
afterAll(() => world.close());

const admin = (sub = `idp|${randomUUID()}`): Promise<string> => service.token('ADMIN', [], { sub });

const idsOf = ({ json }: Answer): string[] => (json as { id: string }[]).map(({ id }) => id);

const CLIENT = { company_name: 'Neuf', contact_email: 'neuf@clients.example' };

async function create(token: string): Promise<string> {
  const made = await service.ask('POST /api/clients', { token, body: CLIENT });
  expect(made.status).toBe(201);
  return (made.json as { id: string }).id;
}

test('a request that only reads is answered by the replica, also as CSV', async () => {
  const [writer, reader] = [await admin(), await admin()];
  await world.pause();
  const id = await create(writer);
  const lists = ['application/json', 'text/csv'].map((accept) => ({ token: reader, headers: { accept } }));
  for (const question of lists) {
    expect((await service.ask('GET /api/clients?q=Neuf', question)).text).not.toContain(id);
  }
  await world.resume();
  for (const question of lists) {
    expect((await service.ask('GET /api/clients?q=Neuf', question)).text).toContain(id);
  }
});

describe('a caller reads what they wrote, whatever the replica lacks, also from another instance,', () => {
  async function expectSeen(token: string, line: string, text: string): Promise<void> {
    for (const instance of [service, other]) {
      const answer = await instance.ask(line, { token });
      expect([answer.status, answer.text.includes(text)]).toEqual([200, true]);
    }
  }

  test('in one exchange', async () => {
    const [writer, reader] = [await admin(), await admin()];
    await world.pause();
    const id = await create(writer);
    await expectSeen(writer, 'GET /api/clients?q=Neuf', id);
    expect(idsOf(await other.ask('GET /api/clients?q=Neuf', { token: reader }))).not.toContain(id);
  });

  test('with an Idempotency-Key, which takes a transaction', async () => {
    const token = await admin();
    await world.pause();
    const headers = { 'idempotency-key': `"${randomUUID()}"` };
    const made = await service.ask('POST /api/clients', { token, headers, body: CLIENT });
    await expectSeen(token, 'GET /api/clients?q=Neuf', (made.json as { id: string }).id);
  });

  test('as a change of what was there before', async () => {
    const token = await admin();
    const tenant = await service.tenant('Avant');
    await world.resume();
    await world.pause();
    const body = { site_name: 'Nouvel atelier' };
    expect((await service.ask(`PUT /api/sites/${tenant.sites}`, { token, body })).status).toBe(200);
    await expectSeen(token, `GET /api/sites/${tenant.sites}`, 'Nouvel atelier');
    const { json } = await other.ask(`GET /api/sites/${tenant.sites}`, { token: await admin() });
    expect(json).not.toMatchObject(body);
  });

  test('as an import of many', async () => {
    const token = await admin();
    const { clients } = await service.tenant('Importe');
    await world.resume();
    await world.pause();
    const body = [{ client_id: clients, site_name: 'Importé' }];
    const imported = await service.ask('POST /api/sites/import', { token, body });
    expect(imported.status).toBe(201);
    await expectSeen(token, `GET /api/sites?client_id=${clients}`, 'Importé');
  });

  test('as a document', async () => {
    const token = await admin();
    const { reclamations } = await service.tenant('Document');
    await world.resume();
    await world.pause();
    const made = await upload(service, token, reclamations);
    expect(made.status).toBe(201);
    await expectSeen(token, `GET /api/reclamations/${reclamations}/documents`, 'avis.pdf');
  });

  test('as a login', async () => {
    const sub = `idp|${randomUUID()}`;
    const token = await service.token('ADMIN', [], { sub, email: `${randomUUID()}@people.example` });
    await world.pause();
    expect((await service.ask('POST /api/auth/login', { body: { token } })).status).toBe(200);
    await expectSeen(token, 'GET /api/users', '@people.example');
  });

  test('and what was noted later is never taken for earlier', async () => {
    const sub = `idp|${randomUUID()}`;
    const positions = async (): Promise<unknown[]> =>
      service.admin('select position from app.write_positions where subject = $1', [sub]);
    await create(await admin(sub));
    await service.admin(`update app.write_positions set position = 'FF/0' where subject = $1`, [sub]);
    await create(await admin(sub));
    expect(await positions()).toEqual([{ position: 'FF/0' }]);
    await service.admin('delete from app.write_positions where subject = $1', [sub]);
  });
});

describe('who may read is decided on the primary', () => {
  test('a user who is made inactive reads nothing from then on', async () => {
    const { id, token } = await userWithPassword(service, 'ADMIN');
    await world.resume();
    expect((await service.ask('GET /api/clients', { token })).status).toBe(200);
    await world.pause();
    await service.admin('update public.users set is_active = false where id = $1', [id]);
    const refused = await service.ask('GET /api/clients', { token });
    await expectRefusal(service, refused, 'ERROR_UNAUTHORIZED');
  });

  test('a user of whom the replica does not know yet reads what is theirs', async () => {
    const { clients } = await service.tenant('Acquis');
    await world.resume();
    await world.pause();
    const { token } = await userWithPassword(service, 'CLIENT', { clients: [clients] });
    expect(idsOf(await service.ask('GET /api/clients', { token }))).toEqual([clients]);
    expect(service.replicas?.outcomes.get('replica')).toBeGreaterThan(0);
  });

  test('a user who lost a client, and has a token that says so, reads nothing of it on a replica that does not', async () => {
    const [kept, lost] = [await service.tenant('Garde'), await service.tenant('Perdu')];
    const { id, token } = await userWithPassword(service, 'CLIENT', {
      clients: [kept.clients, lost.clients],
    });
    await world.resume();
    await world.pause();
    await service.admin('update public.users set client_access = $2 where id = $1', [id, [kept.clients]]);
    expectError(await service.ask('GET /api/clients', { token }), 'ERROR_UNAUTHORIZED');
    const after = await service.token('CLIENT', [kept.clients], { sub: id });
    expect(idsOf(await service.ask('GET /api/clients', { token: after }))).toEqual([kept.clients]);
  });

  test('a refused read has its one record, at once', async () => {
    const { clients } = await service.tenant('Autrui');
    await world.pause();
    const token = await service.token('CLIENT', [randomUUID()]);
    await expectRefusal(
      service,
      await service.ask(`GET /api/clients/${clients}`, { token }),
      'ERROR_FORBIDDEN',
    );
  });
});

describe('what the replica does not have yet is no 404', () => {
  test('a record by its id, and a list below it', async () => {
    const [writer, reader] = [await admin(), await admin()];
    await world.pause();
    const id = await create(writer);
    expect((await service.ask(`GET /api/clients/${id}`, { token: reader })).status).toBe(200);
    const below = await service.ask(`GET /api/clients/${id}/reclamations`, { token: reader });
    expect([below.status, below.json]).toEqual([200, []]);
    expectError(await service.ask(`GET /api/clients/${randomUUID()}`, { token: reader }), 'ERROR_NOT_FOUND');
  });

  test('the content of a document that was deleted since is 404, and no failure', async () => {
    const writer = await admin();
    const { reclamations } = await service.tenant('Supprime');
    const { id } = (await upload(service, writer, reclamations)).json as { id: string };
    await world.resume();
    await world.pause();
    const [row] = await service.admin('select file_path from public.documents where id = $1', [id]);
    expect((await service.ask(`DELETE /api/documents/${id}`, { token: writer })).status).toBe(204);
    await until(async () => (await service.documents.size(String(row?.['file_path']))) === undefined);
    const token = await admin();
    expectError(await service.ask(`GET /api/documents/${id}/content`, { token }), 'ERROR_NOT_FOUND');
  });
});

test('a password that was changed ends the sessions of before at once', async () => {
  const { token, id } = await userWithPassword(service, 'ADMIN');
  await world.resume();
  await world.pause();
  const body = { current_password: PRESENT, password: 'a much longer new password' };
  expect((await service.ask('PUT /api/users/me/password', { token, body })).status).toBeLessThan(300);
  expectError(await other.ask(`GET /api/users/${id}`, { token }), 'ERROR_UNAUTHORIZED');
});
