import type { Answer } from '../../support/identity.ts';
import type { Fault } from '../fault.ts';
import { killAndStart } from '../service-process.ts';
import { spoilKeys } from '../spoiled-keys.ts';

/* In these tests the identity provider answers the service’s requests for signing keys wrongly, late or not at all. */

const nothingAtAll: Answer = (request) => {
  request.resume();
};

const spoiled = (name: string, what: string, holdMs: number, answer: Parameters<typeof spoilKeys>[2]): Fault => ({
  ...{ name, what, holdMs },
  must: 'tokens with known signing keys are accepted as usual, and requests with other tokens are answered in time',
  // The load test sends no token with a wrong signature here. After such a token, the service would not ask the
  // identity provider for new signing keys for a while.
  without: ['ask with a bad token'],
  spares: (operation) => operation !== 'read with a new key',
  begin: (world, load) => spoilKeys(world, load, answer),
});

export const faults: readonly Fault[] = [
  spoiled(
    'keys-hang',
    'the identity provider accepts requests for its signing keys and answers nothing',
    6_000,
    nothingAtAll,
  ),
  spoiled('keys-none', 'the identity provider publishes no signing key: {"keys":[]}', 3_000, (_request, response) => {
    response.end('{"keys":[]}');
  }),
  spoiled(
    'keys-slow',
    'the identity provider answers requests for its keys three seconds late',
    5_000,
    (_request, response, keys) => {
      setTimeout(() => response.end(keys), 3_000);
    },
  ),
  {
    name: 'keys-hang-at-start',
    what: 'the service is killed and started again while the identity provider answers nothing, so it has no keys',
    must: 'no request waits endlessly for the signing keys, and tokens are accepted once the identity provider answers',
    holdMs: 6_000,
    endsService: true,
    async begin({ service, identity }) {
      identity.answerWith(nothingAtAll);
      await killAndStart(service);
      return () => {
        identity.answerWith(undefined);
        return Promise.resolve();
      };
    },
  },
];
