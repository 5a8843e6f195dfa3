import pg from 'pg';
import { step } from './die-at-step.ts';

/*
 * Imported before a program of a test: counts, with its changes to files, each statement that changes something in the
 * database, and the commit after it, and kills it before the DIES_AT-th of all these.
 */

type Query = (this: pg.Client, ...given: unknown[]) => unknown;
const prototype = pg.Client.prototype as unknown as { query: Query };
const { query } = prototype;
let isChanged = false;

prototype.query = function (this: pg.Client, ...given) {
  const [text] = given;
  if (typeof text === 'string') {
    const isCommit = text === 'commit';
    const changes = /^\s*(?:insert|update|delete|select audit_log\.)/.test(text);
    if (changes || (isCommit && isChanged)) step();
    isChanged = !isCommit && (isChanged || changes);
  }
  return query.apply(this, given);
};
