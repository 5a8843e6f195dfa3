import type { Fault } from '../fault.ts';

export const fault: Fault = {
  name: 'keys-hang-at-start',
  what: 'the service is killed and started again while the identity provider answers nothing: it has no keys at all',
  must: 'nobody waits for the keys without end, and tokens are good once they can be had',
  holdMs: 6_000,
  endsService: true,
  async begin({ service, identity }) {
    identity.answerWith((request) => {
      request.resume();
    });
    const ended = service.ended();
    service.signal('SIGKILL');
    await ended;
    await service.start();
    return () => {
      identity.answerWith(undefined);
      return Promise.resolve();
    };
  },
};
