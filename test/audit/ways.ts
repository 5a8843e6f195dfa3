import { listed } from '../support/listed.ts';
import { idOf } from '../policies/fixture.ts';

export const FOREIGN = idOf('b', 'clients');
/** A schema of somebody else's that everybody may use. */
const ELSEWHERE = 'create schema elsewhere; grant usage on schema elsewhere to public;';

export const WAYS = listed('audit/ways.sql', { ELSEWHERE, FOREIGN, OWN: idOf('a', 'clients') }).map(
  ({ head: [finding = '', what = '', object = '', named], sql, parts: { shows, mend } }) => ({
    ...{ finding, what, object, bad: sql, isNamed: named !== undefined },
    reads: shows,
    mend: mend?.sql ?? '',
  }),
);
