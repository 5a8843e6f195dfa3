import type { ErrorRequestHandler } from 'express';
import { readConflictRules, DatabaseUnavailable, RightMissing, sqlState } from '../db/errors.ts';
import type { AuditWriter } from '../db/refusals/audit-writer.ts';
import { validationError, createFieldProblems, RequestError, type ErrorCode, type ErrorKind } from '../errors.ts';
import { rule } from '../problems.ts';
import { readSystemErrorCode } from '../system-error.ts';
import { ANONYMOUS_NAME } from '../identity/caller.ts';
import { sendError } from './envelope.ts';
import { readRequestState, type RequestState } from './request-state.ts';
import { findErrorCode, findUnavailableCause } from './sqlstate.ts';
import { RecordNotFound, GENERAL_CONFLICT_RULES } from './explain-error.ts';

const CODES_BY_STATUS: Readonly<Record<number, ErrorCode>> = {
  413: 'ERROR_PAYLOAD_TOO_LARGE',
  415: 'ERROR_UNSUPPORTED_MEDIA_TYPE',
};

const ERROR_KIND_BY_SQLSTATE: Readonly<Record<string, ErrorKind>> = { TX401: 'revoked', '42501': 'rule' };

/** Turns each error into an answer; records a refusal in the audit log before the answer leaves. */
export function createErrorHandler(audit: AuditWriter): ErrorRequestHandler {
  return (thrown: unknown, request, response, next) => {
    const requestState = readRequestState(request);
    const sendRequestError = (error: RequestError): void => {
      requestState.error = error;
      if (!response.headersSent) sendError(response, error, requestState.requestId);
      else if (!response.destroyed) next(thrown);
    };
    const error = toRequestError(thrown, request.method);
    if (error.isAuditedRefusal) storeRefusalAndSend(audit, requestState, error, sendRequestError).catch(next);
    else sendRequestError(error);
  };
}

/** Error codes of a process that lacks file descriptors, memory or disk space: a later attempt may succeed. */
const EXHAUSTION_SYSTEM_CODES: readonly unknown[] = ['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN', 'ENOSPC', 'EDQUOT'];

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
  const thrownErrorReason = thrown instanceof Error ? thrown.message : 'what was thrown is no error';
  if (sqlstate !== undefined) {
    const errorCode = findErrorCode(sqlstate, method);
    const conflictRulesByField =
      errorCode === 'ERROR_CONFLICT' ? (readConflictRules(thrown) ?? GENERAL_CONFLICT_RULES) : undefined;
    const kind = errorCode === 'ERROR_UNAVAILABLE' ? findUnavailableCause(sqlstate) : ERROR_KIND_BY_SQLSTATE[sqlstate];
    return new RequestError(errorCode, `${sqlstate}: ${thrownErrorReason}`, {
      cause,
      ...(conflictRulesByField && { problems: createFieldProblems(conflictRulesByField) }),
      ...(kind && { kind }),
    });
  }
  if (thrown instanceof URIError) return validationError('path', rule('not_percent_encoded'), thrownErrorReason, cause);
  if (EXHAUSTION_SYSTEM_CODES.includes(readSystemErrorCode(thrown)))
    return new RequestError('ERROR_UNAVAILABLE', thrownErrorReason, { cause, kind: 'exhausted' });
  // Express gives its errors a status; an error without one is a defect of the service.
  const httpStatus = thrown instanceof Error && 'status' in thrown ? Number(thrown.status) : 500;
  const isClientError = httpStatus >= 400 && httpStatus < 500;
  const errorCode = isClientError ? (CODES_BY_STATUS[httpStatus] ?? 'ERROR_VALIDATION') : 'ERROR_INTERNAL';
  return new RequestError(errorCode, thrownErrorReason, { cause });
}

/** Records a refusal before the caller gets it. If the audit log cannot record the refusal, the caller gets a 503. */
function storeRefusalAndSend(
  audit: AuditWriter,
  state: RequestState,
  error: RequestError,
  send: (error: RequestError) => void,
): Promise<void> {
  const { requestId, action, ipAddress, userAgent, caller, resource, resourceId, client } = state;
  const clientContext = error.clientContext === undefined ? client : (error.clientContext ?? undefined);
  const refusalRecordPromise = audit.record({
    requestId,
    actor: caller?.subject ?? ANONYMOUS_NAME,
    action,
    resourceType: resource ?? 'unknown',
    reason: error.message,
    ipAddress,
    userAgent,
    ...(resourceId === undefined ? {} : { resourceId }),
    ...(clientContext === undefined ? {} : { clientContext }),
  });
  return refusalRecordPromise.then(
    () => {
      send(error);
    },
    (cause: unknown) => {
      const refusalNotRecordedText = `this refusal could not be recorded: ${error.message}`;
      send(new RequestError('ERROR_UNAVAILABLE', refusalNotRecordedText, { cause, kind: 'refusal' }));
    },
  );
}
