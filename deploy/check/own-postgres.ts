import { createScratchCluster } from '../../test/faults/cluster.ts';
import type { UnderLoad } from './under-load.ts';
import type { Closable, World } from './world.ts';

/**
 * Returns the options of a load test whose instances of the service all use one sound Postgres. Further environment
 * variables can be given.
 */
export async function onOwnPostgres(
  world: World,
  further: Readonly<Record<string, string>>,
): Promise<Pick<UnderLoad, 'adminUrl' | 'environment'>> {
  const { adminUrl } = await world.once('server', closableCluster);
  return {
    adminUrl: (database) => Promise.resolve(withPath(adminUrl, database)),
    environment: ({ name, password, database }) => {
      const url = new URL(withPath(adminUrl, database));
      url.username = name;
      url.password = password;
      return { DATABASE_URL: url.href, ...further };
    },
  };
}

async function closableCluster(folder: string): Promise<Closable & { readonly adminUrl: string }> {
  const cluster = await createScratchCluster(folder);
  return { adminUrl: cluster.adminUrl, close: () => cluster.remove() };
}

function withPath(url: string, database: string): string {
  const parsed = new URL(url);
  parsed.pathname = `/${database}`;
  return parsed.href;
}
