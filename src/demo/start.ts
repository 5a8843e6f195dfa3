import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { openDataDir } from '../data-dir.ts';
import { openDatabase } from '../db/database.ts';
import { awaitListening } from '../http/listening.ts';
import type { ServiceConfig } from '../service.ts';
import type { ShutdownList } from '../shutdown.ts';
import { storeDemonstrationDocuments } from './documents.ts';
import { buildGreeting, formatGreeting } from './greeting.ts';
import { createDemonstrationUsers, isDemonstrationConfig } from './people.ts';
import { listenBriefly } from './postgres/free-port.ts';
import { startEmbeddedDatabase } from './postgres/prepare.ts';
import { assertDataDirUnused } from './postgres/server.ts';
import { DOCS_CLIENT_ID } from './provider/clients.ts';
import { startEmbeddedProvider } from './provider/start.ts';

export { killRunningPrograms } from './postgres/command.ts';

/**
 * Starts what the configuration leaves open, the embedded identity provider, the embedded Postgres or both, and registers
 * them at `parts`. The returned configuration names them as an operator names his own provider and Postgres.
 * @throws Error in one line; the reason of an aborted `ending`
 */
export async function startDemonstration(
  config: Config,
  log: Logger,
  { register }: Pick<ShutdownList, 'register'>,
  ending: AbortSignal,
) {
  const { dataDir, identity, host, port } = config;
  const needsPostgres = config.database.url === undefined;
  if (needsPostgres) {
    assertDataDirUnused(await openDataDir(dataDir));
    await awaitListening(listenBriefly(port, host), `PORT ${port} of HOST ${host}`);
  }
  const provider = identity.provider === undefined ? await startEmbeddedProvider(config, log) : undefined;
  register('the identity provider', 300, provider);
  const passwords = provider !== undefined;
  const postgres = needsPostgres ? await startEmbeddedDatabase({ dataDir, log, ending, passwords }) : undefined;
  register('the embedded Postgres', 1_500, postgres);
  if (postgres !== undefined && provider !== undefined) {
    const users = openDatabase({ ...config.database, url: postgres.adminUrl, poolSize: 4, log });
    provider.useDatabase(register('the connections of the identity provider', 200, users));
  } else if (provider !== undefined) {
    log.info('nobody can log in at the embedded identity provider: its users are those of the embedded Postgres');
  }
  const documents = { ...config.documents, dataDir };
  ending.throwIfAborted();
  if (postgres !== undefined) await storeDemonstrationDocuments(postgres.contentPaths, documents, log);

  const { smtpUrl } = config.mails;
  const folder = postgres && smtpUrl === undefined ? join(dataDir, 'mails') : undefined;
  const complete = {
    ...config,
    database: { ...config.database, url: config.database.url ?? postgres?.apiUrl },
    identity: {
      ...identity,
      ...(provider && {
        provider: { issuer: provider.issuer, audience: provider.audience, jwksUrl: provider.jwksUrl },
        docs: { ...identity.docs, clientId: DOCS_CLIENT_ID },
      }),
      management: identity.management ?? (postgres && provider?.management),
    },
    mails: { ...config.mails, folder },
    demonstrationUsers: provider && isDemonstrationConfig(config) ? createDemonstrationUsers(provider) : [],
  } as ServiceConfig;
  const greeting = buildGreeting(folder, provider, postgres);
  return { config: complete, greeting, greetingLines: (url: string) => formatGreeting(greeting, url) };
}
