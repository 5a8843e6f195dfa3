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
 * Returns the callers of the benchmark: one ADMIN of all clients, and ADMINs with a list of clients. An ADMIN with a
 * list reads the same rows as an account manager with that list, and also the audit log.
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
