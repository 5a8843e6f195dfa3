import type { IncomingMessage, ServerResponse } from 'node:http';
import { createTestKey } from '../support/identity.ts';
import type { LoadProcess } from './load-process.ts';
import type { World } from './world.ts';

/** Answers a request for the identity provider’s signing keys wrongly; `keys` is the right answer. */
type Spoiled = (request: IncomingMessage, response: ServerResponse, keys: string) => void;

/**
 * Adds a signing key to the identity provider. Some new tokens are signed with this key, but the service cannot fetch
 * the key.
 */
export async function spoilKeys({ identity }: World, load: LoadProcess, answer: Spoiled): Promise<() => Promise<void>> {
  const key = await createTestKey();
  // The identity provider also publishes its earlier keys, because all other tokens are signed with one of them.
  const keys = [...identity.keys, key];
  const published = JSON.stringify({ keys: keys.map(({ jwk }) => jwk) });
  identity.publish(...keys);
  identity.answerWith((request, response) => {
    answer(request, response, published);
  });
  load.useNewToken(await identity.token({ sub: 'idp|new' }));
  return () => {
    identity.answerWith(undefined);
    return Promise.resolve();
  };
}
