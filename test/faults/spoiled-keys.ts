import type { IncomingMessage, ServerResponse } from 'node:http';
import { createTestKey } from '../support/identity.ts';
import type { LoadProcess } from './load-process.ts';
import type { World } from './world.ts';

/** Answers for the provider, which would give `keys`. */
type Spoiled = (request: IncomingMessage, response: ServerResponse, keys: string) => void;

/** The provider has one key more, with which some tokens are signed from now on, and cannot be asked for it. */
export async function spoilKeys({ identity }: World, load: LoadProcess, answer: Spoiled): Promise<() => Promise<void>> {
  const key = await createTestKey();
  // Those of before as well: everybody else has a token of one of them.
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
