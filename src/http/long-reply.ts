import type { ServerResponse } from 'node:http';
import { finished } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { RequestError } from '../errors.ts';
import { LONG_REPLY_CHARACTERS, RIGHTS_RECHECK_GRACE_MS, RIGHTS_RECHECK_MS } from '../limits.ts';
import { sendReply, type EndpointReply } from './envelope.ts';
import { toRequestError } from './errors.ts';
import type { RequestState } from './request-state.ts';

/* Asks for the caller's rights again while a long reply is being sent: docs/decisions/rights-during-replies.md */

/** Throws if the caller no longer has the right to the reply. */
type RightsCheck = () => Promise<unknown>;

/** Sends a reply. Breaks the connection off if the caller loses the right to the reply meanwhile. */
export function sendWhileAllowed(
  response: ServerResponse,
  reply: EndpointReply,
  state: RequestState,
  checkRights: RightsCheck,
): Promise<void> | undefined {
  const { body } = reply;
  const sent = sendReply(response, reply);
  if (body === undefined || (typeof body === 'string' && body.length <= LONG_REPLY_CHARACTERS)) return sent;
  const breakOff = (error: RequestError): void => {
    state.error = error;
    if (typeof body === 'object') body.destroy(error);
    if (!response.headersSent) return;
    response.socket?.resetAndDestroy();
    response.destroy();
  };
  return watchRights(sent ?? finished(response).catch(() => undefined), checkRights, breakOff);
}

async function watchRights(
  sent: Promise<void>,
  checkRights: RightsCheck,
  breakOff: (error: RequestError) => void,
): Promise<void> {
  const end = new AbortController();
  try {
    await Promise.race([sent, checkUntilRefused(checkRights, breakOff, end.signal)]);
  } finally {
    end.abort();
  }
}

const REFUSAL_STATUSES: readonly number[] = [401, 403, 404];

/** While the database does not answer, the last answer counts for RIGHTS_RECHECK_GRACE_MS. */
async function checkUntilRefused(
  checkRights: RightsCheck,
  breakOff: (error: RequestError) => void,
  signal: AbortSignal,
): Promise<void> {
  for (let allowedMs = performance.now(); ; ) {
    await delay(RIGHTS_RECHECK_MS, undefined, { signal, ref: false });
    try {
      await checkRights();
      allowedMs = performance.now();
    } catch (thrown) {
      const error = toRequestError(thrown);
      const isUnknown =
        !REFUSAL_STATUSES.includes(error.status) && performance.now() < allowedMs + RIGHTS_RECHECK_GRACE_MS;
      if (isUnknown || signal.aborted) continue;
      breakOff(error);
      throw error;
    }
  }
}
