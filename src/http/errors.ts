import type { ErrorRequestHandler } from 'express';
import { readRaisedRules, DatabaseUnavailable, RightMissing, sqlState } from '../db/errors.ts';
import type { AuditWriter } from '../db/refusals/audit-writer.ts';
import type { RequestContext } from '../db/request-settings.ts';
import {
  createFieldProblems,
  RequestError,
  validationError,
  type BrokenRuleByField,
  type ErrorCode,
  type ErrorKind,
} from '../errors.ts';
import { rule } from '../problems.ts';
import { readSystemErrorCode } from '../system-error.ts';
import { ANONYMOUS_NAME } from '../identity/caller.ts';
import { sendError } from './envelope.ts';
import { readRequestState, type RequestState } from './request-state.ts';
import { findErrorCode, findUnavailableCause } from './sqlstate.ts';

/** Thrown if a statement finds no row for `record`, by default the record of the request. */
export class RecordNotFound extends Error {
  override readonly name = 'RecordNotFound';
  readonly record: RequestContext['record'];

  constructor(record?: RequestContext['record']) {
    super();
    this.record = record;
  }
}

/** The problem that a 409 reports if no other rule explains the conflict. */
export const GENERAL_CONFLICT_RULES: BrokenRuleByField = { body: rule('conflict') };

const CODES_BY_STATUS: Readonly<Record<number, ErrorCode>> = {
  413: 'ERROR_PAYLOAD_TOO_LARGE',
  415: 'ERROR_UNSUPPORTED_MEDIA_TYPE',
};

const KINDS_BY_SQLSTATE: Readonly<Record<string, ErrorKind>> = { TX401: 'revoked', '42501': 'rule' };

/** Turns each error into an answer; records a refusal in the audit log before the answer leaves. */
export function createErrorHandler(audit: AuditWriter): ErrorRequestHandler {
  return (thrown: unknown, request, response, next) => {
    const state = readRequestState(request);
    const send = (error: RequestError): void => {
      state.error = error;
      if (!response.headersSent) sendError(response, error, state.requestId);
      else if (!response.destroyed) next(thrown);
    };
    const error = toRequestError(thrown, request.method);
    if (error.isAuditedRefusal) recordAndSend(audit, state, error, send).catch(next);
    else send(error);
  };
}

/** Error codes of a process that lacks file descriptors, memory or disk space: a later attempt may succeed. */
const EXHAUSTION_CODES: readonly unknown[] = ['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN', 'ENOSPC', 'EDQUOT'];

/** Error messages of Postgres and of libraries go to the log and the audit record, never to the caller. */
export function toRequestError(thrown: unknown, method = 'GET'): RequestError {
  if (thrown instanceof RequestError) return thrown;
  const cause = thrown;
  if (thrown instanceof DatabaseUnavailable)
    return new RequestError('ERROR_UNAVAILABLE', 'the database is out of reach', { cause, kind: 'database' });
  if (thrown instanceof RightMissing)
    return new RequestError('ERROR_UNAVAILABLE', `the service lacks a right: ${thrown.message}`, {
      cause,
      kind: 'rights',
    });
  // RecordNotFound while an answer is being sent means that somebody has just deleted the record.
  if (thrown instanceof RecordNotFound)
    return new RequestError('ERROR_NOT_FOUND', 'the record is there no more', { cause });
  const sqlstate = sqlState(thrown);
  const reason = thrown instanceof Error ? thrown.message : 'what was thrown is no error';
  if (sqlstate !== undefined) {
    const code = findErrorCode(sqlstate, method);
    const rules = readRaisedRules(thrown) ?? (code === 'ERROR_CONFLICT' ? GENERAL_CONFLICT_RULES : undefined);
    const kind = code === 'ERROR_UNAVAILABLE' ? findUnavailableCause(sqlstate) : KINDS_BY_SQLSTATE[sqlstate];
    return new RequestError(code, `${sqlstate}: ${reason}`, {
      cause,
      ...(rules && { problems: createFieldProblems(rules) }),
      ...(kind && { kind }),
    });
  }
  if (thrown instanceof URIError) return validationError('path', rule('not_percent_encoded'), reason, cause);
  if (EXHAUSTION_CODES.includes(readSystemErrorCode(thrown)))
    return new RequestError('ERROR_UNAVAILABLE', reason, { cause, kind: 'exhausted' });
  // Express gives its errors a status; an error without one is a defect of the service.
  const status = thrown instanceof Error && 'status' in thrown ? Number(thrown.status) : 500;
  const isByCaller = status >= 400 && status < 500;
  const code = isByCaller ? (CODES_BY_STATUS[status] ?? 'ERROR_VALIDATION') : 'ERROR_INTERNAL';
  return new RequestError(code, reason, { cause });
}

/** Records a refusal before the caller gets it. If the audit log cannot record the refusal, the caller gets a 503. */
async function recordAndSend(
  audit: AuditWriter,
  state: RequestState,
  error: RequestError,
  send: (error: RequestError) => void,
): Promise<void> {
  const { requestId, action, ipAddress, userAgent, caller, resource, resourceId, client } = state;
  const clientContext = error.clientContext === undefined ? client : (error.clientContext ?? undefined);
  try {
    await audit.record({
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
  } catch (cause) {
    const reason = `this refusal could not be recorded: ${error.message}`;
    send(new RequestError('ERROR_UNAVAILABLE', reason, { cause, kind: 'refusal' }));
    return;
  }
  send(error);
}
