import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { Database } from '../../db/database.ts';
import type { RequestState } from '../../http/request-state.ts';
import type { ClaimNames } from '../../identity/claims.ts';
import { accountsOn } from './accounts.ts';
import type { TrustedPages } from './clients.ts';
import { createProvider } from './configuration.ts';
import { answerInteraction, interactionPath, isInteraction } from './interactions.ts';
import type { KeyRing } from './keys.ts';
import { languageOf } from './language.ts';
import { answerManagement, MANAGEMENT_PATH } from './management.ts';
import { pageHeaders } from './page-headers.ts';
import type { ProviderSecrets } from './secrets.ts';
import { storeOn } from './store.ts';
import { answerUserinfo, bearsApiToken, USERINFO_PATH } from './userinfo.ts';

const RESUMING = /^\/auth\/./;
const LOGOUT_PATH = '/session/end';
/** Where the library keeps something of whoever comes, before anybody has logged in. */
export const BEGINNINGS = ['/auth', LOGOUT_PATH];

/** A provider of certain keys, and all that is beside the library. */
export interface Serving {
  readonly ring: KeyRing;
  answer(
    path: string,
    request: IncomingMessage,
    response: ServerResponse,
    state: RequestState,
  ): Promise<void>;
}

interface ServingOptions {
  readonly issuer: string;
  readonly database: Pick<Database, 'callAsLogin'>;
  readonly ring: KeyRing;
  readonly pages: TrustedPages;
  readonly claimNames: ClaimNames;
  readonly log: Logger;
  readonly secrets: ProviderSecrets;
}

export function servingWith({
  issuer,
  database,
  ring,
  pages,
  claimNames,
  log,
  secrets,
}: ServingOptions): Serving {
  const accounts = accountsOn(database);
  const provider = createProvider({
    ...{ issuer, ring, accounts, pages, claimNames, interactionPath },
    store: storeOn(database, secrets.cookies),
    cookieSecret: secrets.cookies,
  });
  provider.on('server_error', (_context, error) => {
    log.error({ err: error }, 'the identity provider failed');
  });
  const library = provider.callback();
  const { host, protocol } = new URL(issuer);
  return {
    ring,
    async answer(path, request, response, state) {
      if (path === MANAGEMENT_PATH || path.startsWith(`${MANAGEMENT_PATH}/`)) {
        await answerManagement({ accounts, credentials: secrets }, request, response, state);
        return;
      }
      if (path === USERINFO_PATH && bearsApiToken(request)) {
        await answerUserinfo({ issuer, ring, accounts, pages }, request, response);
        return;
      }
      // Whatever a caller or a proxy writes there: every address that the library makes is below the issuer.
      request.headers.host = host;
      request.headers['x-forwarded-proto'] = protocol.slice(0, -1);
      delete request.headers['x-forwarded-host'];
      delete request.headers['x-forwarded-for'];
      if (isInteraction(path)) {
        await answerInteraction({ provider, issuer, accounts }, request, response, state);
        return;
      }
      // Back from the pages of a login: the id of the interaction, of which only its browser is to know.
      if (RESUMING.test(path)) state.action = `${request.method ?? ''} /auth/{id}`;
      // Of somebody who is not logged in the library sends a form on by a page of its own.
      if (path === LOGOUT_PATH)
        response.setHeaders(new Map(Object.entries(pageHeaders(languageOf(request)))));
      response.setHeader('X-Content-Type-Options', 'nosniff');
      response.setHeader('X-Frame-Options', 'DENY');
      library(request, response);
    },
  };
}
