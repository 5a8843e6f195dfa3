import type { IncomingMessage, ServerResponse } from 'node:http';
import { createTestKey } from '../support/identity.ts';
import type { LoadProcess } from './load-process.ts';
import type { World } from './world.ts';

/**
 * Gives the service a wrong answer when it asks the identity provider for signing keys. The right answer would be
 * `keys`.
 */
type Spoiled = (request: IncomingMessage, response: ServerResponse, keys: string) => void;

/**
 * Adds a signing key to the identity provider, which signs some new tokens with it. The service cannot fetch this key.
 */
export async function spoilKeys({ identity }: World, load: LoadProcess, answer: Spoiled): Promise<() => Promise<void>> {
  const key = await createTestKey();
  // The identity provider still publishes its earlier keys, because most tokens are signed with them.
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
