import type { Area } from './attack.ts';
import { claims } from './claims.ts';
import { tokens } from './tokens.ts';

/** Everything that is attacked, in the order in which it is. */
export const AREAS: readonly Area[] = [tokens, claims];
