import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';

/* An HTTP server like Auth0’s Management API, with the paths, bodies and errors that the service uses. */

interface ManagedUser {
  app_metadata: { role?: unknown; client_access?: unknown; [other: string]: unknown };
  blocked: boolean;
  roles: string[];
}

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly authorization: string | undefined;
}

/** A function that handles a request instead of the management API, or returns false to leave the request to it. */
export type Fault = (request: IncomingMessage, response: ServerResponse, asked: Asked) => boolean;

export interface TestManagement {
  readonly url: string;
  readonly users: Map<string, ManagedUser>;
  readonly asked: Asked[];
  /** This function runs for each request to the management API. A test sets another function to make the API fail. */
  fault: Fault;
  /** Runs before the management API sends each response. */
  answering: (asked: Asked) => Promise<void>;
  /**
   * The access tokens that the management API accepts. The token endpoint of this API issues the first token in the
   * list.
   */
  tokens: string[];
  readonly issued: string[];
  tokenLife: number;
  know(subject: string, role: string, clients: readonly string[]): void;
  close(): Promise<void>;
}

const ROLE_NAMES = ['ADMIN', 'ACCOUNT_MANAGER', 'TAX_SPECIALIST', 'CLIENT'];

export const quiet: Fault = () => false;

/** A failure that a test causes in its management API: the API cuts the connection of the request. */
export const broken: Fault = (request) => {
  request.destroy();
  return true;
};

/** A failure that a test causes in its management API: the API sends the given response instead of the usual one. */
export const instead =
  (status: number, body: string | Buffer, headers: Record<string, string> = {}): Fault =>
  (_request, response) => {
    response.writeHead(status, headers).end(body);
    return true;
  };

export function sendError(
  response: ServerResponse,
  status: number,
  errorCode: string,
  message: string,
  headers: Record<string, string> = {},
): true {
  const error = { 400: 'Bad Request', 401: 'Unauthorized', 403: 'Forbidden', 404: 'Not Found' }[status];
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers });
  response.end(JSON.stringify({ statusCode: status, error: error ?? 'Error', message, errorCode }));
  return true;
}

export async function startManagement(): Promise<TestManagement> {
  const server = createServer((request, response) => {
    void handle(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const state: TestManagement = {
    url: `${origin}/api/v2`,
    users: new Map(),
    asked: [],
    fault: quiet,
    answering: () => Promise.resolve(),
    tokens: ['management-token'],
    issued: [],
    tokenLife: 86_400,
    know(subject, role, clients) {
      const app_metadata = { role, client_access: [...clients] };
      state.users.set(subject, { app_metadata, blocked: false, roles: [] });
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await textOf(request);
    const path = request.url ?? '';
    if (path === '/.well-known/openid-configuration') {
      sendJson(response, 200, { issuer: `${origin}/`, token_endpoint: `${origin}/oauth/token` });
      return;
    }
    if (path === '/oauth/token') {
      grant(request, response, text);
      return;
    }
    const type = request.headers['content-type'];
    const asked: Asked = {
      ...{
        method: request.method ?? '',
        path: path.startsWith('/api/v2/') ? path.slice('/api/v2'.length) : `/elsewhere${path}`,
      },
      body: type === 'application/json' ? (JSON.parse(text) as unknown) : undefined,
      authorization: request.headers.authorization,
    };
    state.asked.push(asked);
    if (state.fault(request, response, asked)) return;
    if (!state.tokens.some((token) => asked.authorization === `Bearer ${token}`)) {
      sendError(response, 401, 'invalid_token', 'Invalid token');
      return;
    }
    await answer(asked, response);
  }

  function grant(request: IncomingMessage, response: ServerResponse, text: string): void {
    const basic = `Basic ${Buffer.from('worker:s%26cret').toString('base64')}`;
    const form = new URLSearchParams(text);
    if (request.headers.authorization !== basic || form.get('audience') !== 'urn:management') {
      sendJson(response, 401, { error: 'invalid_client', error_description: 'Unauthorized' });
      return;
    }
    const [token = ''] = state.tokens;
    state.issued.push(token);
    sendJson(response, 200, { access_token: token, token_type: 'Bearer', expires_in: state.tokenLife });
  }

  async function answer(asked: Asked, response: ServerResponse): Promise<void> {
    const { method, path, body } = asked;
    const [, kind = '', id = '', part] = path.split('?')[0]?.split('/') ?? [];
    if (!['users', 'roles'].includes(kind)) {
      // Auth0’s response for an unknown path has no errorCode.
      sendJson(response, 404, { statusCode: 404, error: 'Not Found', message: 'Not Found' });
      return;
    }
    if (method === 'GET' && kind === 'roles') {
      const roles = ROLE_NAMES.map((name) => ({ id: `rol_${name}`, name, description: name }));
      await state.answering(asked);
      sendJson(response, 200, { start: 0, limit: 100, total: roles.length, roles });
      return;
    }
    const user = state.users.get(decodeURIComponent(id));
    if (user === undefined) {
      sendError(response, 404, 'inexistent_user', 'The user does not exist.');
      return;
    }
    if (method === 'DELETE') {
      await state.answering(asked);
      state.users.delete(decodeURIComponent(id));
      response.writeHead(204).end();
      return;
    }
    if (method === 'PATCH') {
      const { app_metadata, blocked } = body as Partial<ManagedUser>;
      Object.assign(user.app_metadata, app_metadata);
      user.blocked = blocked ?? user.blocked;
    } else if (method === 'POST' && part === 'roles') {
      user.roles = [...new Set([...user.roles, ...(body as { roles: string[] }).roles])];
      await state.answering(asked);
      response.writeHead(204).end();
      return;
    }
    await state.answering(asked);
    sendJson(response, 200, { user_id: decodeURIComponent(id), email: 'a@b.example', ...user });
  }

  return state;
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
