import type { RequestHandler } from 'express';
import { authorizationMs, beginTimeline } from '../observed.ts';
import { stateOf } from './request-state.ts';

/** Adds Server-Timing to successful answers. A refusal has none: the time in the database would reveal the reason. */
export const tellTimes: RequestHandler = (request, response, next) => {
  const timeline = (stateOf(request).timeline ??= beginTimeline());
  const writeHead = response.writeHead.bind(response) as (
    status: number,
    ...others: unknown[]
  ) => typeof response;
  response.writeHead = (status: number, ...others: unknown[]) => {
    if (status < 400) {
      const spent = {
        auth: authorizationMs(timeline),
        db: timeline.transactions.length === 0 ? undefined : timeline.databaseMs,
        total: performance.now() - timeline.begunMs,
      };
      const told = Object.entries(spent).flatMap(([name, ms]) =>
        ms === undefined ? [] : [`${name};dur=${ms.toFixed(1)}`],
      );
      response.setHeader('Server-Timing', told.join(', '));
    }
    return writeHead(status, ...others);
  };
  next();
};
