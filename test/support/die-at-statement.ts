import pg from 'pg';
import { step } from './die-at-step.ts';

/*
 * A test loads this module into a process before the process’s own program. The module counts three kinds of actions:
 * changes of files, database statements that change data, and the commits of such statements. It kills the process just
 * before the action whose number is DIES_AT.
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
