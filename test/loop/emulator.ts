import { appendFileSync, closeSync, fsyncSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { CompactSign, importJWK } from 'jose';
import type { JWK } from 'jose';
import { AUDIENCE, CREDENTIAL, JOURNAL, KEY, readProviderUpdates } from './provider-updates.ts';
import type { ProviderUpdate } from './provider-updates.ts';

/*
 * An identity provider in the shapes of Auth0's, as a process of its own: what it was told is on the disk before it says
 * so, and is all that it knows when it is started again. Its arguments are its folder and its port.
 */

const [folder = '', port = ''] = process.argv.slice(2);
const issuer = `http://127.0.0.1:${port}/`;
const ROLE_NAMES = ['ADMIN', 'ACCOUNT_MANAGER', 'TAX_SPECIALIST', 'CLIENT'];

const jwk = JSON.parse(await readFile(join(folder, KEY), 'utf8')) as JWK;
const key = await importJWK(jwk, 'ES256');
const { kty, crv, x, y } = jwk;
const users = new Map((await readProviderUpdates(folder)).map((told) => [told.subject, told]));
const journal = openSync(join(folder, JOURNAL), 'a', 0o600);
process.once('exit', () => {
  closeSync(journal);
});

function keep(told: ProviderUpdate): void {
  appendFileSync(journal, `${JSON.stringify(told)}\n`);
  fsyncSync(journal);
  users.set(told.subject, told);
}

async function tokenFor({ subject, role, clients }: ProviderUpdate): Promise<string> {
  const iat = Math.floor(Date.now() / 1000);
  const payload = {
    ...{ iss: issuer, aud: AUDIENCE, sub: subject, iat, exp: iat + 7_200 },
    ...{ role, client_access: clients },
  };
  return new CompactSign(Buffer.from(JSON.stringify(payload)))
    .setProtectedHeader({ alg: 'ES256', kid: 'emulator', typ: 'at+jwt' })
    .sign(key);
}

interface Patch {
  readonly app_metadata: { readonly role: string; readonly client_access: readonly string[] };
  readonly blocked: boolean;
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  const send = (status: number, body?: unknown): void => {
    response.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
    response.end(body === undefined ? undefined : JSON.stringify(body));
  };
  const { pathname } = new URL(request.url ?? '', issuer);
  if (pathname === '/.well-known/jwks.json') {
    send(200, { keys: [{ kty, crv, x, y, kid: 'emulator', alg: 'ES256', use: 'sig' }] });
    return;
  }
  const [, kind, id = '', part] =
    /^\/(login|api\/v2\/users|api\/v2\/roles)(?:\/([^/]+))?(\/roles)?$/.exec(pathname) ?? [];
  const user = users.get(decodeURIComponent(id));
  if (kind === 'login') {
    if (user === undefined || user.isBlocked) send(403, { error: 'access_denied' });
    else send(200, { access_token: await tokenFor(user) });
  } else if (request.headers.authorization !== `Bearer ${CREDENTIAL}`) {
    send(401, { statusCode: 401, error: 'Unauthorized', message: 'Invalid token' });
  } else if (kind === 'api/v2/roles') {
    const roles = ROLE_NAMES.map((name) => ({ id: `rol_${name}`, name }));
    send(200, { start: 0, limit: 100, total: roles.length, roles });
  } else if (user === undefined) {
    send(404, { statusCode: 404, error: 'Not Found', errorCode: 'inexistent_user' });
  } else if (request.method === 'DELETE') {
    users.delete(user.subject);
    send(204);
  } else if (request.method === 'PATCH') {
    const { app_metadata: rights, blocked } = JSON.parse(text) as Patch;
    const { subject } = user;
    keep({ at: Date.now(), subject, role: rights.role, clients: rights.client_access, isBlocked: blocked });
    send(200, { user_id: subject, app_metadata: rights, blocked });
  } else if (part !== undefined) {
    send(204);
  } else {
    const { subject, role, clients, isBlocked: blocked } = user;
    send(200, { user_id: subject, app_metadata: { role, client_access: clients }, blocked });
  }
}

const server = createServer((request, response) => {
  void answer(request, response);
});
server.listen(Number(port), '127.0.0.1', () => {
  process.stdout.write('listening\n');
});
