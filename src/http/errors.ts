import type { ErrorRequestHandler } from 'express';
import { conflictDetails, DatabaseUnavailable, RightMissing, sqlState } from '../db/errors.ts';
import type { AuditWriter } from '../db/refusals/audit-writer.ts';
import { RequestError } from '../errors.ts';
import type { ErrorCode, ErrorKind } from '../errors.ts';
import { codeOf } from '../system-error.ts';
import { ANONYMOUS } from '../identity/caller.ts';
import { sendError } from './envelope.ts';
import { stateOf } from './request-state.ts';
import type { RequestState } from './request-state.ts';
import { errorCodeOf, unavailableCauseOf } from './sqlstate.ts';
import { UNEXPLAINED } from './why-not.ts';

/** Any other 4xx of express and body-parser is a malformed request. */
const STATUS_CODES: Readonly<Record<number, ErrorCode>> = {
  413: 'ERROR_PAYLOAD_TOO_LARGE',
  415: 'ERROR_UNSUPPORTED_MEDIA_TYPE',
};

/** What the database refuses: a token whose rights no longer hold, and whatever a policy decides. */
const KINDS: Readonly<Record<string, ErrorKind>> = { TX401: 'revoked', '42501': 'rule' };

/** The one place where an error becomes an answer, and where a refusal is recorded before the answer leaves. */
export function answerErrors(audit: AuditWriter): ErrorRequestHandler {
  return (thrown: unknown, request, response, next) => {
    const state = stateOf(request);
    const send = (error: RequestError): void => {
      state.error = error;
      if (!response.headersSent) sendError(response, error, state.requestId);
      // A reply that failed half-way is broken off already.
      else if (!response.destroyed) next(thrown);
    };
    const error = toRequestError(thrown, request.method);
    if (error.status === 401 || error.status === 403) record(audit, state, error, send).catch(next);
    else send(error);
  };
}

/** What the operating system says to a process that is out of descriptors, memory or disk: later there may be some. */
const EXHAUSTED: readonly unknown[] = ['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN', 'ENOSPC', 'EDQUOT'];

/** What anything thrown means for the caller. Texts of Postgres and of libraries are for log and audit alone. */
export function toRequestError(thrown: unknown, method = 'GET'): RequestError {
  if (thrown instanceof RequestError) return thrown;
  const cause = thrown;
  if (thrown instanceof DatabaseUnavailable) {
    return new RequestError('ERROR_UNAVAILABLE', 'the database is out of reach', { cause, kind: 'database' });
  }
  if (thrown instanceof RightMissing) {
    return new RequestError('ERROR_UNAVAILABLE', `the service lacks a right: ${thrown.message}`, {
      cause,
      kind: 'rights',
    });
  }
  const sqlstate = sqlState(thrown);
  const reason = thrown instanceof Error ? thrown.message : 'what was thrown is no error';
  if (sqlstate !== undefined) {
    const code = errorCodeOf(sqlstate, method);
    const details = code === 'ERROR_CONFLICT' ? (conflictDetails(thrown) ?? UNEXPLAINED) : undefined;
    const kind = code === 'ERROR_UNAVAILABLE' ? unavailableCauseOf(sqlstate) : KINDS[sqlstate];
    return new RequestError(code, `${sqlstate}: ${reason}`, {
      cause,
      ...(details && { details }),
      ...(kind && { kind }),
    });
  }
  if (thrown instanceof URIError) {
    return new RequestError('ERROR_VALIDATION', reason, {
      cause,
      details: { path: 'must be percent-encoded UTF-8' },
    });
  }
  if (EXHAUSTED.includes(codeOf(thrown)))
    return new RequestError('ERROR_UNAVAILABLE', reason, { cause, kind: 'exhausted' });
  return new RequestError(codeOfStatus(thrown), reason, { cause });
}

/** Express and body-parser put a status on what they refuse; whatever has none is a defect of the service. */
function codeOfStatus(thrown: unknown): ErrorCode {
  const status = thrown instanceof Error && 'status' in thrown ? Number(thrown.status) : 500;
  if (!(status >= 400 && status < 500)) return 'ERROR_INTERNAL';
  return STATUS_CODES[status] ?? 'ERROR_VALIDATION';
}

/** A refusal without a record would be one that nobody ever hears of: the caller is told to come back instead. */
function record(
  audit: AuditWriter,
  state: RequestState,
  error: RequestError,
  send: (error: RequestError) => void,
): Promise<void> {
  const { requestId, action, ipAddress, userAgent, caller, resource, resourceId, client } = state;
  const clientContext = error.clientContext === undefined ? client : (error.clientContext ?? undefined);
  const recorded = audit.record({
    requestId,
    actor: caller?.subject ?? ANONYMOUS,
    action,
    // Without a valid token nobody asks what a path means.
    resourceType: resource ?? 'unknown',
    reason: error.message,
    ipAddress,
    userAgent,
    ...(resourceId === undefined ? {} : { resourceId }),
    ...(clientContext === undefined ? {} : { clientContext }),
  });
  return recorded.then(
    () => {
      send(error);
    },
    (cause: unknown) => {
      const reason = `this refusal could not be recorded: ${error.message}`;
      send(new RequestError('ERROR_UNAVAILABLE', reason, { cause, kind: 'refusal' }));
    },
  );
}
