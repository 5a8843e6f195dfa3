import pg from 'pg';
import { step } from './die-at-step.ts';

/*
 * A test imports this module into a process before the program of that process. The module counts the process’s changes
 * of files, the database statements that change data, and the commits of such statements, and kills the process before
 * number DIES_AT.
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
