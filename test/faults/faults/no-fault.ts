import { nothing } from '../fault.ts';
import type { Fault } from '../fault.ts';

export const fault: Fault = {
  name: 'no-fault',
  what: 'nothing goes wrong: what the others are held against',
  must: 'every request is answered, none with 503',
  holdMs: 1_500,
  spares: () => true,
  begin: () => Promise.resolve(nothing),
};
