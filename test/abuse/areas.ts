import type { Area } from './attack.ts';
import { bodies } from './bodies.ts';
import { calendars } from './calendars.ts';
import { claims } from './claims.ts';
import { demonstration } from './demonstration.ts';
import { headers } from './headers.ts';
import { ids } from './ids.ts';
import { links } from './links.ts';
import { pages } from './pages.ts';
import { paths } from './paths.ts';
import { sqlLogins } from './sql-logins.ts';
import { sqlRequests } from './sql-requests.ts';
import { tokens } from './tokens.ts';
import { uploads } from './uploads.ts';
import { waits } from './waits.ts';

/**
 * All kinds of attacks, for example on links or on tokens, in the order in which `npm run proofs -- abuse` runs them.
 */
export const AREAS: readonly Area[] = [
  tokens,
  claims,
  headers,
  paths,
  demonstration,
  ids,
  bodies,
  pages,
  uploads,
  links,
  calendars,
  waits,
  sqlRequests,
  ...sqlLogins,
];
