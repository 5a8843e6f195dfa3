import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import { stateOf } from './request-state.ts';

/** Logs one line at the end of each request, without headers, query and bodies, which hold tokens and personal data. */
export function logRequests(log: Logger): RequestHandler {
  return (request, response, next) => {
    const started = performance.now();
    response.once('close', () => {
      const { requestId, action, ipAddress, caller, error } = stateOf(request);
      const line = {
        requestId,
        action,
        ipAddress,
        subject: caller?.subject,
        status: response.statusCode,
        durationMs: Math.round(performance.now() - started),
        code: error?.code,
        reason: error?.message,
        aborted: response.writableFinished ? undefined : true,
      };
      if ((error?.status ?? response.statusCode) < 500) log.info(line, 'request');
      else log.error({ ...line, err: error?.cause }, 'request');
    });
    next();
  };
}
