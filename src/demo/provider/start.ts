import { fileURLToPath } from 'node:url';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { Config } from '../../config.ts';
import { createCounters } from '../../counters/counters.ts';
import { DatabaseUnavailable } from '../../db/errors.ts';
import { sendError } from '../../http/envelope.ts';
import { toRequestError } from '../../http/errors.ts';
import { createIpAddressLimiters } from '../../http/limits.ts';
import { logRequests } from '../../http/observe.ts';
import { createRequestState, readRequestState } from '../../http/request-state.ts';
import { createHttpServer } from '../../http/server.ts';
import { chooseIssuerUrl } from './address.ts';
import { createProvider } from './configuration.ts';
import { openSigningKey, openSigner, deriveSecret } from './key.ts';
import { createLoginHandler } from './login.ts';
import { STYLESHEET_PATH } from './pages.ts';
import { choosePageLanguage, pageHeaders } from './send-page.ts';
import { createManagementRouter, type LoginDatabase } from './users.ts';

const MANAGEMENT_PATH = '/api/v2';
const STYLESHEET = fileURLToPath(new URL('../../../public/identity.css', import.meta.url));

export type EmbeddedProvider = Awaited<ReturnType<typeof startEmbeddedProvider>>;

export async function startEmbeddedProvider(config: Config, log: Logger) {
  const { dataDir, identity, trustProxy } = config;
  const { perIp } = config.rateLimits;
  const names = { role: identity.roleClaim, clientAccess: identity.clientAccessClaim };
  const key = await openSigningKey(dataDir);
  let users: LoginDatabase | undefined;
  const database: LoginDatabase = {
    callAsLogin: (statement) =>
      users?.callAsLogin(statement) ?? Promise.reject(new DatabaseUnavailable('there are no users yet')),
  };
  const app = express();
  app.disable('x-powered-by');
  app.set('trust proxy', trustProxy);
  app.set('query parser', false);
  app.use(
    createRequestState,
    hideLoginId,
    logRequestsExceptHead(log),
    createIpAddressLimiters(perIp, createCounters(), 'identity'),
  );
  app.get(STYLESHEET_PATH, (_request, response) => {
    response.setHeader('Cache-Control', 'max-age=300').sendFile(STYLESHEET);
  });
  const server = createHttpServer(app);
  const listen = (port: number): Promise<number> => server.listen(port, '127.0.0.1');
  const issuer = await chooseIssuerUrl(dataDir, identity.embeddedPort, listen);

  const provider = createProvider(issuer, key, database, config);
  provider.on('server_error', (_context, error) => {
    log.error({ err: error }, 'the identity provider failed');
  });
  const handle = provider.callback();
  const { host } = new URL(issuer);
  const token = deriveSecret('management', key);
  app.use(MANAGEMENT_PATH, createManagementRouter(database, token));
  app.all('/interaction/:id', express.urlencoded({ limit: '8kb' }), createLoginHandler(provider, issuer, database));
  app.use((request, response) => {
    // Sets the page headers here, because oidc-provider itself sends the page for a logout without a login.
    response.setHeaders(new Map(Object.entries(pageHeaders(choosePageLanguage(request)))));
    // Replaces the caller's Host header, because oidc-provider builds its addresses from the Host header.
    request.headers.host = host;
    void handle(request, response);
  });
  app.use(handleProviderError);
  log.info(`the identity provider serves at ${issuer}`);
  return {
    ...(await openSigner(dataDir, issuer, names)),
    jwksUrl: `${issuer}/.well-known/jwks.json`,
    management: { url: `${issuer}${MANAGEMENT_PATH}`, token },
    /** Nobody can log in before `useDatabase` is called. The database login must have the right to read every user. */
    useDatabase: (opened: LoginDatabase): void => {
      users = opened;
    },
    close: (withinMs?: number) => server.close(withinMs),
  };
}

/** Does not log HEAD requests, because the service sends some every minute to read the provider's clock. */
function logRequestsExceptHead(log: Logger): RequestHandler {
  const logRequest = logRequests(log);
  return (request, response, next) => {
    if (request.method === 'HEAD') next();
    else logRequest(request, response, next);
  };
}

/** Removes the id of a login attempt from the logged path, because only the user's browser may know the id. */
const hideLoginId: RequestHandler = (request, _response, next) => {
  const state = readRequestState(request);
  state.action = state.action.replace(/(\/(?:interaction|auth)\/).*/, '$1{id}');
  next();
};

const handleProviderError: ErrorRequestHandler = (thrown: unknown, request, response, next) => {
  const state = readRequestState(request);
  state.error = toRequestError(thrown, request.method);
  if (response.headersSent) next(thrown);
  else sendError(response, state.error, state.requestId);
};
