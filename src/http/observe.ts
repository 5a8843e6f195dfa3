import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import { ANONYMOUS_NAME } from '../identity/caller.ts';
import { computeAuthorizationMs, createRequestTimeline, type RequestObserver } from '../observed.ts';
import { readRequestState } from './request-state.ts';
import type { createRouteFinder } from './routes.ts';

export function observeRequests(
  observers: readonly RequestObserver[],
  routeOf: ReturnType<typeof createRouteFinder>,
): RequestHandler {
  return (request, response, next) => {
    const state = readRequestState(request);
    const timeline = (state.timeline ??= createRequestTimeline());
    for (const observer of observers) observer.requestStarted?.();
    const report = (): void => {
      response.off('close', report);
      const { caller, error, isStream } = state;
      const observed = {
        ...routeOf(request.method, request.path),
        role: caller?.role ?? ANONYMOUS_NAME,
        status: isStream || response.writableFinished ? response.statusCode : ('aborted' as const),
        error: error && { code: error.code, kind: error.kind },
        timeline,
        endedMs: performance.now(),
        traceparent: request.get('traceparent'),
      };
      for (const observer of observers) observer.requestEnded(observed);
    };
    response.once('close', report);
    state.beginStream = report;
    next();
  };
}

/** Adds Server-Timing only to successful answers: the times of a refusal would reveal its reason. */
export const addServerTiming: RequestHandler = (request, response, next) => {
  const timeline = (readRequestState(request).timeline ??= createRequestTimeline());
  const writeHead = response.writeHead.bind(response) as (status: number, ...others: unknown[]) => typeof response;
  response.writeHead = (status: number, ...others: unknown[]) => {
    if (status < 400) {
      const durations = {
        auth: computeAuthorizationMs(timeline),
        db: timeline.transactions.length === 0 ? undefined : timeline.databaseMs,
        total: performance.now() - timeline.begunMs,
      };
      const entries = Object.entries(durations).flatMap(([name, ms]) =>
        ms === undefined ? [] : [`${name};dur=${ms.toFixed(1)}`],
      );
      response.setHeader('Server-Timing', entries.join(', '));
    }
    return writeHead(status, ...others);
  };
  next();
};

/** Logs one line at the end of each request, without headers, query and bodies, which hold tokens and personal data. */
export function logRequests(log: Logger): RequestHandler {
  return (request, response, next) => {
    const startedMs = performance.now();
    response.once('close', () => {
      const { requestId, action, ipAddress, caller, error, isStream } = readRequestState(request);
      const line = {
        requestId,
        action,
        ipAddress,
        subject: caller?.subject,
        status: response.statusCode,
        durationMs: Math.round(performance.now() - startedMs),
        code: error?.code,
        reason: error?.message,
        aborted: isStream || response.writableFinished ? undefined : true,
      };
      if ((error?.status ?? response.statusCode) < 500) log.info(line, 'request');
      else log.error({ ...line, err: error?.cause }, 'request');
    });
    next();
  };
}
