import type { RequestHandler } from 'express';
import { ANONYMOUS } from '../identity/caller.ts';
import { beginTimeline } from '../observed.ts';
import type { RequestObserver } from '../observed.ts';
import { stateOf } from './request-state.ts';
import type { Route } from './routes.ts';

/** Tells metrics and traces when each request begins and how it ended. */
export function observeRequests(
  observers: readonly RequestObserver[],
  routeOf: (method: string, path: string) => Route,
): RequestHandler {
  return (request, response, next) => {
    const state = stateOf(request);
    const timeline = (state.timeline ??= beginTimeline());
    for (const observer of observers) observer.begun?.();
    response.once('close', () => {
      const { caller, error } = state;
      const observed = {
        ...routeOf(request.method, request.path),
        role: caller?.role ?? ANONYMOUS,
        status: response.writableFinished ? response.statusCode : ('aborted' as const),
        error: error && { code: error.code, kind: error.kind },
        timeline,
        endedMs: performance.now(),
        traceparent: request.get('traceparent'),
      };
      for (const observer of observers) observer.ended(observed);
    });
    next();
  };
}
