import type { RequestContext } from '../../src/db/request-settings.ts';
import { readingAs } from '../caller.ts';
import { clientsOf } from '../database.ts';

export interface ListCaller {
  readonly name: string;
  readonly clients: readonly string[];
  /**
   * Returns the context (caller, rights and database settings) of a request for a list; `client` limits the request to
   * one client.
   */
  request(client: string | undefined): RequestContext;
}

const SIZES = [1, 50, 200, 1000, 2000];

/**
 * Returns the callers of the benchmark: ADMINs with a list of clients, who see the rows of account managers and the
 * audit log, and one ADMIN of all clients.
 */
export async function callersOf(adminUrl: string): Promise<ListCaller[]> {
  const scoped = await Promise.all(
    SIZES.map(async (size) => callerOf(size === 1 ? '1 client' : `${size} clients`, await clientsOf(adminUrl, size))),
  );
  return [...scoped, callerOf('ADMIN', [])];
}

function callerOf(name: string, clients: readonly string[]): ListCaller {
  return { name, clients, request: (client) => readingAs('ADMIN', clients, client) };
}
