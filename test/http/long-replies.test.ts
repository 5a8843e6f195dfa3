import { once } from 'node:events';
import { request as send } from 'node:http';
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { connected } from '../support/database.ts';
import { person } from '../support/people.ts';
import type { Person } from '../support/people.ts';
import { pdf } from '../support/samples.ts';
import { startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';
import { until, upload } from '../support/upload.ts';

/*
 * These tests check that the service, while it sends a long response, checks again and again whether the reader still
 * has the right to read it.
 */

interface Line {
  readonly action: string;
  readonly code?: string;
  readonly aborted?: boolean;
}

let lines: Line[] = [];
const log = pino({}, { write: (line) => lines.push(JSON.parse(line) as Line) });
const service = await forSuite(startService({ log, statementTimeoutMs: 3_000 }));
const own = await service.furnishedTenant('Boulangerie Martin');
const foreign = await service.tenant('Garage Dupont');
const admin = await service.token('ADMIN');

// The rows of these tables are larger than the sockets between the service and a paused reader can buffer.
await service.sql`insert into public.sites (client_id, site_name, address)
  select ${own.clients}, 'Site ' || n, repeat('x', 30000) from generate_series(1, 1000) as n`;
const big = Buffer.concat([pdf, Buffer.alloc(20 * 1024 * 1024)]);
const attached = await upload(service, admin, own.reclamations, { bytes: big });
const { id: documentId } = attached.json as { id: string };
const watched = await person(service, 'TAX_SPECIALIST', [own.clients]);
await service.sql`insert into public.audit_logs (user_id, actor, action, resource_type, client_context, success, user_agent)
  select ${watched.id}, 'x', 'GET /x', 'sites', ${own.clients}, true, repeat('x', 30000) from generate_series(1, 1000) as n`;

const open = new Set<IncomingMessage>();
afterEach(() => {
  for (const response of open) response.destroy();
  open.clear();
  lines = [];
});

/** Sends a request, and reads only the headers of the response. */
function begin(path: string, { token }: Pick<Person, 'token'>, headers: OutgoingHttpHeaders = {}) {
  return new Promise<IncomingMessage>((resolve, reject) => {
    const all = { authorization: `Bearer ${token}`, ...headers };
    send({ port: service.port, path, headers: all, agent: false }, (response) => {
      open.add(response.on('error', () => undefined));
      resolve(response);
    })
      .once('error', reject)
      .end();
  });
}

async function isWhole(response: IncomingMessage): Promise<boolean> {
  response.resume();
  if (!response.closed) await new Promise((resolve) => response.once('close', resolve));
  return response.complete;
}

const deactivate = ({ id }: Person) => service.admin('update public.users set is_active = false where id = $1', [id]);
const assign = (client: string) => (of: Person) =>
  service.admin('update public.users set client_access = $2 where id = $1', [of.id, [client]]);
const CSV = { accept: 'text/csv' };

test.each([
  { what: 'a list as CSV', path: '/api/sites', headers: CSV, take: deactivate, code: 'ERROR_UNAUTHORIZED' },
  { what: 'a list as JSON', path: '/api/sites', take: assign(foreign.clients), code: 'ERROR_UNAUTHORIZED' },
  {
    ...{ what: 'a document', path: `/api/documents/${documentId}/content` },
    ...{ take: deactivate, code: 'ERROR_UNAUTHORIZED' },
  },
  {
    ...{ what: 'an archive of one document', path: `/api/reclamations/${own.reclamations}/documents.zip` },
    ...{ take: assign(foreign.clients), code: 'ERROR_UNAUTHORIZED' },
  },
  {
    ...{ what: 'a user’s personal data', path: `/api/users/${watched.id}/personal-data`, headers: CSV },
    ...{ take: () => assign(foreign.clients)(watched), code: 'ERROR_FORBIDDEN' },
  },
])(
  'a download of $what is aborted when its reader loses the right to read it, and the refusal is audited',
  async ({ path, headers, take, code }) => {
    const reader = await person(service, 'ADMIN', [own.clients]);
    const response = await begin(path, reader, headers);
    expect(response.statusCode).toBe(200);
    await take(reader);
    await until(() =>
      lines.some((line) => line.aborted === true && line.action === `GET ${path}` && line.code === code),
    );
    expect(await isWhole(response)).toBe(false);
    await until(
      async () =>
        (await service.sql`select from public.audit_logs where user_id = ${reader.id} and not success`).length === 1,
    );
    await assign(own.clients)(watched);
    const other = await begin(path, await person(service, 'ADMIN', [own.clients]), headers);
    expect([other.statusCode, await isWhole(other)]).toEqual([200, true]);
  },
);

test('the download of a document is aborted if the document is deleted during the download', async () => {
  const { json } = await upload(service, admin, own.reclamations, { bytes: big });
  const { id } = json as { id: string };
  const response = await begin(`/api/documents/${id}/content`, { token: admin });
  await service.admin('delete from public.documents where id = $1', [id]);
  await until(() => lines.some((line) => line.aborted === true && line.code === 'ERROR_NOT_FOUND'));
  expect(await isWhole(response)).toBe(false);
});

test('a download goes on while Postgres does not answer whether its reader still has the right', async () => {
  const response = await begin(`/api/documents/${documentId}/content`, await person(service, 'CLIENT', [own.clients]));
  const locker = await connected(service.postgres.adminUrl);
  const isCheckWaiting = async () =>
    (
      await service.sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
        and application_name like 'taxclaims-api%'`
    ).length > 0;
  await locker.query('begin; lock table public.users in access exclusive mode');
  await until(isCheckWaiting);
  await until(async () => !(await isCheckWaiting()));
  await locker.end();
  expect(await isWhole(response)).toBe(true);
});

test('an aborted CSV download over HTTP/1.0 ends with a connection reset, so that it does not look complete', async () => {
  const reader = await person(service, 'CLIENT', [own.clients]);
  const socket = connect(service.port, '127.0.0.1');
  const ended = once(socket, 'end').catch((error: unknown) => error);
  socket.write(`GET /api/sites HTTP/1.0\r\nAccept: text/csv\r\nAuthorization: Bearer ${reader.token}\r\n\r\n`);
  await once(socket, 'readable');
  await deactivate(reader);
  await until(() => lines.some((line) => line.aborted === true && line.code === 'ERROR_UNAUTHORIZED'));
  socket.resume();
  expect(await ended).toMatchObject({ code: 'ECONNRESET' });
});
