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
    const requestState = readRequestState(request);
    const timeline = (requestState.timeline ??= createRequestTimeline());
    for (const observer of observers) observer.requestStarted?.();
    const reportRequest = (): void => {
      response.off('close', reportRequest);
      const { caller, error, isStream } = requestState;
      const observedRequest = {
        ...routeOf(request.method, request.path),
        role: caller?.role ?? ANONYMOUS_NAME,
        status: isStream || response.writableFinished ? response.statusCode : ('aborted' as const),
        error: error && { code: error.code, kind: error.kind },
        timeline,
        endedMs: performance.now(),
        traceparent: request.get('traceparent'),
      };
      for (const observer of observers) observer.requestEnded(observedRequest);
    };
    response.once('close', reportRequest);
    requestState.beginStream = reportRequest;
    next();
  };
}

/** Adds Server-Timing only to successful answers: the times of a refusal would reveal its reason. */
export const addServerTiming: RequestHandler = (request, response, next) => {
  const requestTimeline = (readRequestState(request).timeline ??= createRequestTimeline());
  const originalWriteHead = response.writeHead.bind(response) as (
    status: number,
    ...others: unknown[]
  ) => typeof response;
  response.writeHead = (status: number, ...others: unknown[]) => {
    if (status < 400) {
      const timingDurationsMs = {
        auth: computeAuthorizationMs(requestTimeline),
        db: requestTimeline.transactions.length === 0 ? undefined : requestTimeline.databaseMs,
        total: performance.now() - requestTimeline.begunMs,
      };
      const timingEntries = Object.entries(timingDurationsMs).flatMap(([name, ms]) =>
        ms === undefined ? [] : [`${name};dur=${ms.toFixed(1)}`],
      );
      response.setHeader('Server-Timing', timingEntries.join(', '));
    }
    return originalWriteHead(status, ...others);
  };
  next();
};

/** Logs one line at the end of each request, without headers, query and bodies, which hold tokens and personal data. */
export function logRequests(log: Logger): RequestHandler {
  return (request, response, next) => {
    const requestStartedMs = performance.now();
    response.once('close', () => {
      const { requestId, action, ipAddress, caller, error, isStream } = readRequestState(request);
      const requestLogLine = {
        requestId,
        action,
        ipAddress,
        subject: caller?.subject,
        status: response.statusCode,
        durationMs: Math.round(performance.now() - requestStartedMs),
        code: error?.code,
        reason: error?.message,
        aborted: isStream || response.writableFinished ? undefined : true,
      };
      if ((error?.status ?? response.statusCode) < 500) log.info(requestLogLine, 'request');
      else log.error({ ...requestLogLine, err: error?.cause }, 'request');
    });
    next();
  };
}
