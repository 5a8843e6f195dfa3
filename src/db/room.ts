import { boundOf } from '../bound.ts';
import { RequestError } from '../errors.ts';

export interface Room {
  /** @throws RequestError ERROR_RATE_LIMITED for a caller who has other such work, ERROR_UNAVAILABLE where many have */
  lend<T>(subject: string, work: () => Promise<T>): Promise<T>;
  taken(): number;
}

const headers = { 'Retry-After': '5' };

export function roomFor(most: number): Room {
  const inside = new Set<string>();
  const bound = boundOf(
    most,
    () =>
      new RequestError('ERROR_UNAVAILABLE', 'too many long requests are under way', {
        headers,
        kind: 'busy',
      }),
  );
  return {
    taken: () => bound.taken,
    async lend(subject, work) {
      if (inside.has(subject))
        throw new RequestError('ERROR_RATE_LIMITED', 'another long request of the same caller is under way', {
          ...{ headers, kind: 'long_request' },
        });
      return bound.during(() => {
        inside.add(subject);
        return work().finally(() => inside.delete(subject));
      });
    },
  };
}
