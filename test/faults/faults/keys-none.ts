import type { Fault } from '../fault.ts';
import { spoilKeys } from '../spoiled-keys.ts';

export const fault: Fault = {
  name: 'keys-none',
  what: 'the identity provider publishes no key: {\"keys\":[]}',
  must: 'tokens of known keys are good as ever, and others are answered in time',
  holdMs: 3_000,
  // One with a wrong signature makes the service ask for keys, and then not for a while.
  without: ['ask with a bad token'],
  spares: (operation) => operation !== 'read with a new key',
  begin: (world, load) =>
    spoilKeys(world, load, (_request, response) => {
      response.end('{"keys":[]}');
    }),
};
