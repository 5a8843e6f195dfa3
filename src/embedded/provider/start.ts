import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { type Counters, countersIn } from '../../counters/counters.ts';
import type { Database } from '../../db/database.ts';
import { forgetExpired } from '../../db/expired-answers.ts';
import type { Housekeeping } from '../../db/housekeeping.ts';
import { createIdentityApp } from '../../http/identity-app.ts';
import type { RequestState } from '../../http/request-state.ts';
import { createHttpServer } from '../../http/server.ts';
import type { ClaimNames } from '../../identity/claims.ts';
import { IDENTITY_HOST, issuerAt, listenAt } from './address.ts';
import { openKeyRing, publicHalf, rotateOldKeys } from './keys.ts';
import type { KeyRing } from './keys.ts';
import { STYLESHEET_PATH } from './layout.ts';
import { MANAGEMENT_PATH } from './management.ts';
import { errorPage } from './pages.ts';
import { openSecrets } from './secrets.ts';
import { sendPage } from './send-page.ts';
import { BEGINNINGS, servingWith } from './serving.ts';
import type { Serving } from './serving.ts';
import { openTokenSigner } from './signer.ts';
import type { TokenSigner } from './signer.ts';

const JWKS_PATH = '/.well-known/jwks.json';
const STYLESHEET = fileURLToPath(new URL('../../../public/identity.css', import.meta.url));
/** How often the keys are looked at, so that a rotation is seen well before the new key signs. */
const LOOK_MS = 60_000;

export interface ProviderOptions {
  readonly dataDir: string;
  readonly log: Logger;
  /** 0: any free one; undefined: the one that this folder keeps. */
  readonly port?: number | undefined;
  /** Where to listen; this machine alone when absent. */
  readonly host?: string | undefined;
  /** The public address behind a proxy; undefined: this machine's. */
  readonly issuer?: string | undefined;
  readonly claimNames?: ClaimNames;
  readonly corsOrigins?: readonly string[];
  /** False where programs on the reader's own machine are not to be trusted. */
  readonly loopback?: boolean;
  readonly trustProxy?: number;
  readonly perIp?: number;
  /** Where requests are counted; in the memory of this process when absent. */
  readonly counters?: Counters;
}

export interface EmbeddedProvider extends TokenSigner {
  /** Where this process reaches it, whatever its public address. */
  readonly url: string;
  readonly jwksUrl: string;
  /**
   * Lets people log in from now on: before it there are keys alone. Gives its management interface, and the API's
   * credential for it.
   */
  serve(database: Pick<Database, 'callAsLogin'>): { readonly url: string; readonly token: string };
  close(withinMs?: number): Promise<void>;
}

/**
 * Starts the identity provider of a firm that has none: its keys are there at once, and logins as soon as it is given a
 * database. Whoever reads `dataDir` is everybody.
 * @throws Error in one line when the keys cannot be read or made, or the address not be listened on
 */
export async function startEmbeddedProvider(options: ProviderOptions): Promise<EmbeddedProvider> {
  const { dataDir, log, port, issuer: publicIssuer, host = IDENTITY_HOST } = options;
  const {
    corsOrigins = [],
    loopback = true,
    trustProxy = 0,
    perIp = 1_000,
    counters = countersIn(),
  } = options;
  const claimNames = options.claimNames ?? { role: 'role', clientAccess: 'client_access' };
  await rotateOldKeys(dataDir);
  let ring = await openKeyRing(dataDir);
  let lookedAt = Date.now();
  const secrets = await openSecrets(dataDir);
  const style = await readFile(STYLESHEET);
  let issuer = '';
  let serving: ((ring: KeyRing) => Serving) | undefined;
  let current: Serving | undefined;
  let forgetting: Housekeeping | undefined;

  const server = createHttpServer(
    createIdentityApp({
      ...{ log, trustProxy, perIp, counters, answer },
      ...{ beginnings: BEGINNINGS, isSecure: publicIssuer?.startsWith('https:') ?? false },
    }),
  );
  const listen = (wanted: number): Promise<number> => server.listen(wanted, host);
  const taken = await listenAt(listen, { dataDir, port, issuer: publicIssuer });
  issuer = issuerAt(taken, publicIssuer);
  const here = `http://${reachable(host)}:${String(taken)}`;
  const signer = await openTokenSigner({ dataDir, issuer, claimNames });

  async function look(): Promise<void> {
    const now = Date.now();
    if (Math.abs(now - lookedAt) < LOOK_MS) return;
    lookedAt = now;
    try {
      const made = await rotateOldKeys(dataDir);
      if (made !== undefined) log.info({ kid: made.kid }, 'a new signing key was made');
      ring = await openKeyRing(dataDir);
    } catch (error) {
      log.error({ err: error }, 'the signing keys could not be read; those known stay in use');
    }
  }

  async function answer(
    request: IncomingMessage,
    response: ServerResponse,
    state: RequestState,
  ): Promise<void> {
    await look();
    const [path = ''] = (request.url ?? '').split('?');
    if (path === JWKS_PATH && request.method !== 'OPTIONS') {
      sendKeys(request, response, ring);
      return;
    }
    if (path === STYLESHEET_PATH) {
      response.writeHead(200, { 'Content-Type': 'text/css; charset=utf-8', 'Cache-Control': 'max-age=300' });
      response.end(style);
      return;
    }
    if (serving === undefined) {
      sendPage(request, response, 503, (language) => errorPage({ language, error: 'unavailable' }), {
        headers: { 'Retry-After': '5' },
      });
      return;
    }
    if (current?.ring !== ring) current = serving(ring);
    await current.answer(path, request, response, state);
  }

  return {
    ...signer,
    url: here,
    jwksUrl: `${here}${JWKS_PATH}`,
    serve(database) {
      const pages = { corsOrigins, issuer, loopback };
      forgetting = forgetExpired({
        database,
        log,
        text: 'select app.forget_artifacts($1)',
        what: 'what the identity provider keeps',
      });
      serving = (present) =>
        servingWith({ issuer, database, ring: present, pages, claimNames, log, secrets });
      return { url: `${here}${MANAGEMENT_PATH}`, token: secrets.api };
    },
    async close(withinMs) {
      await server.close(withinMs);
      await forgetting?.close();
    },
  };
}

function sendKeys({ method }: IncomingMessage, response: ServerResponse, ring: KeyRing): void {
  const isRead = method === 'GET' || method === 'HEAD';
  const body = isRead ? JSON.stringify({ keys: ring.published.map(publicHalf) }) : '{}';
  response.writeHead(isRead ? 200 : 405, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    'Access-Control-Allow-Origin': '*',
    // Shorter than a new key waits before it signs.
    'Cache-Control': 'public, max-age=300',
  });
  response.end(method === 'HEAD' ? undefined : body);
}

/** Where this machine reaches what listens on an address. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
