import type { RequestContext } from '../../src/db/request-settings.ts';
import { readingAs } from '../caller.ts';
import { clientsOf } from '../database.ts';

export interface ListCaller {
  readonly name: string;
  readonly clients: readonly string[];
  /** A request of theirs, confined to the client that it names. */
  request(client: string | undefined): RequestContext;
}

const SIZES = [1, 50, 200, 1000, 2000];

/** An account manager sees no audit record: an ADMIN with a list sees what they see, and those. */
export async function callersOf(adminUrl: string): Promise<ListCaller[]> {
  const scoped = await Promise.all(
    SIZES.map(async (size) => callerOf(size === 1 ? '1 client' : `${size} clients`, await clientsOf(adminUrl, size))),
  );
  return [...scoped, callerOf('ADMIN', [])];
}

function callerOf(name: string, clients: readonly string[]): ListCaller {
  return { name, clients, request: (client) => readingAs('ADMIN', clients, client) };
}
