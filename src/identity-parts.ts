import type { Logger } from 'pino';
import type { Config, IdentityConfig } from './config.ts';
import type { Counters } from './counters/counters.ts';
import { DOCS_CLIENT } from './embedded/provider/clients.ts';
import { type EmbeddedProvider, startEmbeddedProvider } from './embedded/provider/start.ts';
import type { Ending } from './endings.ts';
import type { DocsLogin } from './http/docs-login.ts';
import { createDiscovery } from './identity/discovery.ts';

/** The identity provider that runs here, unless the configuration names another. */
export async function embeddedProvider(
  { identity, dataDir, host, corsOrigins, trustProxy, rateLimits }: Config,
  log: Logger,
  endings: Ending[],
  counters: Counters,
): Promise<EmbeddedProvider | undefined> {
  if (identity.provider !== undefined) return undefined;
  const { port, issuer, production } = identity.embedded;
  if (production)
    log.warn(
      'the embedded identity provider lets real people in: whoever reads DATA_DIR/identity is everybody, and nobody else keeps a copy of it',
    );
  const provider = await startEmbeddedProvider({
    ...{ dataDir, log, port, issuer, corsOrigins, trustProxy, perIp: rateLimits.perIp, counters },
    // Its address is of this machine, unless a proxy leads to it.
    host: issuer === undefined ? undefined : host,
    claimNames: { role: identity.roleClaim, clientAccess: identity.clientAccessClaim },
    loopback: !production,
  });
  endings.push({
    part: 'the identity provider',
    atLeastMs: 300,
    end: (withinMs) => provider.close(withinMs),
  });
  return provider;
}

/** Where the page of /docs lets somebody log in: at the embedded provider, or at another that has a client for it. */
export function docsLogin(
  { provider, docs }: IdentityConfig,
  embedded: Pick<EmbeddedProvider, 'issuer' | 'audience' | 'url'> | undefined,
  log: Logger,
): DocsLogin | undefined {
  const client = embedded === undefined ? docs.clientId : DOCS_CLIENT;
  const at = provider ?? embedded;
  if (client === undefined || at === undefined) return undefined;
  const { issuer, audience } = at;
  const discovery = createDiscovery({ issuer, at: embedded?.url, log });
  return { issuer, audience, clientId: client, scope: docs.scope, discovery };
}
