import type { Logger } from 'pino';
import type { Config, IdentityConfig } from './config.ts';
import { DOCS_CLIENT } from './embedded/provider/clients.ts';
import { type EmbeddedProvider, startEmbeddedProvider } from './embedded/provider/start.ts';
import type { Ending } from './endings.ts';
import type { DocsLogin } from './http/docs-login.ts';
import { createDiscovery } from './identity/discovery.ts';

/** The identity provider that runs here, unless the configuration names another. */
export async function embeddedProvider(
  config: Config,
  log: Logger,
  endings: Ending[],
): Promise<EmbeddedProvider | undefined> {
  if (config.identity.provider !== undefined) return undefined;
  const provider = await startEmbeddedProvider(config, log);
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
  embedded: Pick<EmbeddedProvider, 'issuer' | 'audience'> | undefined,
  log: Logger,
): DocsLogin | undefined {
  const client = embedded === undefined ? docs.clientId : DOCS_CLIENT;
  const at = provider ?? embedded;
  if (client === undefined || at === undefined) return undefined;
  const { issuer, audience } = at;
  const discovery = createDiscovery({ issuer, log });
  return { issuer, audience, clientId: client, scope: docs.scope, discovery };
}
