import type { ErrorRequestHandler } from 'express';
import { conflictRules, DatabaseUnavailable, RightMissing, sqlState } from '../db/errors.ts';
import type { AuditWriter } from '../db/refusals/audit-writer.ts';
import {
  validationError,
  problemsFromRules,
  RequestError,
  type ErrorCode,
  type ErrorKind,
} from '../errors.ts';
import { rule } from '../problems.ts';
import { systemErrorCode } from '../system-error.ts';
import { ANONYMOUS } from '../identity/caller.ts';
import { sendError } from './envelope.ts';
import { stateOf, type RequestState } from './request-state.ts';
import { errorCodeOf, unavailableCauseOf } from './sqlstate.ts';
import { RecordNotFound, GENERAL_CONFLICT_RULES } from './explain-error.ts';

const CODES_BY_STATUS: Readonly<Record<number, ErrorCode>> = {
  413: 'ERROR_PAYLOAD_TOO_LARGE',
  415: 'ERROR_UNSUPPORTED_MEDIA_TYPE',
};

const ERROR_KINDS: Readonly<Record<string, ErrorKind>> = { TX401: 'revoked', '42501': 'rule' };

/** Turns each error into an answer; records a refusal in the audit log before the answer leaves. */
export function answerErrors(audit: AuditWriter): ErrorRequestHandler {
  return (thrown: unknown, request, response, next) => {
    const state = stateOf(request);
    const sendRequestError = (error: RequestError): void => {
      state.error = error;
      if (!response.headersSent) sendError(response, error, state.requestId);
      else if (!response.destroyed) next(thrown);
    };
    const error = toRequestError(thrown, request.method);
    if (error.isAuditedRefusal) recordRefusal(audit, state, error, sendRequestError).catch(next);
    else sendRequestError(error);
  };
}

/** Error codes of a process that lacks file descriptors, memory or disk space: a later attempt may succeed. */
const EXHAUSTION_CODES: readonly unknown[] = ['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN', 'ENOSPC', 'EDQUOT'];

/** Error messages of Postgres and of libraries go to the log and the audit record, never to the caller. */
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
  // RecordNotFound while an answer is being sent means that somebody has just deleted the record.
  if (thrown instanceof RecordNotFound)
    return new RequestError('ERROR_NOT_FOUND', 'the record is there no more', { cause });
  const sqlstate = sqlState(thrown);
  const reason = thrown instanceof Error ? thrown.message : 'what was thrown is no error';
  if (sqlstate !== undefined) {
    const code = errorCodeOf(sqlstate, method);
    const rules = code === 'ERROR_CONFLICT' ? (conflictRules(thrown) ?? GENERAL_CONFLICT_RULES) : undefined;
    const kind = code === 'ERROR_UNAVAILABLE' ? unavailableCauseOf(sqlstate) : ERROR_KINDS[sqlstate];
    return new RequestError(code, `${sqlstate}: ${reason}`, {
      cause,
      ...(rules && { problems: problemsFromRules(rules) }),
      ...(kind && { kind }),
    });
  }
  if (thrown instanceof URIError) return validationError('path', rule('not_percent_encoded'), reason, cause);
  if (EXHAUSTION_CODES.includes(systemErrorCode(thrown)))
    return new RequestError('ERROR_UNAVAILABLE', reason, { cause, kind: 'exhausted' });
  // Express gives its errors a status; an error without one is a defect of the service.
  const status = thrown instanceof Error && 'status' in thrown ? Number(thrown.status) : 500;
  const isClientError = status >= 400 && status < 500;
  const code = isClientError ? (CODES_BY_STATUS[status] ?? 'ERROR_VALIDATION') : 'ERROR_INTERNAL';
  return new RequestError(code, reason, { cause });
}

/** Records a refusal before the caller gets it. If the audit log cannot record the refusal, the caller gets a 503. */
function recordRefusal(
  audit: AuditWriter,
  state: RequestState,
  error: RequestError,
  send: (error: RequestError) => void,
): Promise<void> {
  const { requestId, action, ipAddress, userAgent, caller, resource, resourceId, client } = state;
  const clientContext = error.clientContext === undefined ? client : (error.clientContext ?? undefined);
  const recordPromise = audit.record({
    requestId,
    actor: caller?.subject ?? ANONYMOUS,
    action,
    resourceType: resource ?? 'unknown',
    reason: error.message,
    ipAddress,
    userAgent,
    ...(resourceId === undefined ? {} : { resourceId }),
    ...(clientContext === undefined ? {} : { clientContext }),
  });
  return recordPromise.then(
    () => {
      send(error);
    },
    (cause: unknown) => {
      const reason = `this refusal could not be recorded: ${error.message}`;
      send(new RequestError('ERROR_UNAVAILABLE', reason, { cause, kind: 'refusal' }));
    },
  );
}
