import type { Request } from 'express';
import { Shares } from '../shares.ts';
import type { ChangeWatch } from '../db/changes.ts';
import { RequestError } from '../errors.ts';
import type { TokenVerifier } from '../identity/token-verifier.ts';
import * as limit from '../limits.ts';
import { bearerToken } from './access.ts';
import type { EndpointReply } from './endpoint.ts';
import { toRequestError } from './errors.ts';
import type { AdmittedRequestState } from './request-state.ts';

/* Sends changes of records as server-sent events: docs/decisions/change-feed.md */

export type ChangeStreams = ReturnType<typeof createChangeStreams>;

export interface ChangeStreamsOptions {
  readonly watch: ChangeWatch;
  readonly verifier: Pick<TokenVerifier, 'verify' | 'remainingMs'>;
  readonly limits?: Partial<Record<keyof typeof DEFAULT_STREAM_LIMITS, number>>;
}

/** The changes that one read found, in the format of server-sent events. */
export interface ChangeBatch {
  readonly text: string;
  /** True if `text` has a change; false if it is a heartbeat. */
  readonly hasChanges: boolean;
  /** True if more changes exist than `text` contains. */
  readonly hasMore: boolean;
}

type EndReason = 'left' | 'rights' | 'slow' | 'failed' | 'closing';

interface ActiveChangeStream {
  /** Ends the stream after the event that is being sent. The metric of ended streams counts by `why`. */
  end(why: EndReason): void;
  breakOff(why: EndReason): void;
}

const DEFAULT_STREAM_LIMITS = {
  streams: limit.MAX_CHANGE_STREAMS,
  ofAUser: limit.MAX_CHANGE_STREAMS_PER_USER,
  beatMs: limit.CHANGE_STREAM_HEARTBEAT_MS,
  readMs: limit.CHANGE_STREAM_READ_PAUSE_MS,
  readsAtOnce: limit.CONCURRENT_CHANGE_STREAM_READS,
  stallMs: limit.CHANGE_STREAM_STALL_TIMEOUT_MS,
  closeMs: limit.CHANGE_STREAM_CLOSE_TIMEOUT_MS,
};

const retryHeaders = { 'Retry-After': '5' };

export function createChangeStreams({ watch, verifier, limits: limitOverrides = {} }: ChangeStreamsOptions) {
  const streamLimits: Readonly<Record<keyof typeof DEFAULT_STREAM_LIMITS, number>> = {
    ...DEFAULT_STREAM_LIMITS,
    ...limitOverrides,
  };
  const endedCountByReason: Record<EndReason, number> = {
    left: 0,
    rights: 0,
    slow: 0,
    failed: 0,
    closing: 0,
  };
  const activeStreams = new Set<ActiveChangeStream>();
  const reads = new Shares({ each: { max: streamLimits.readsAtOnce } });
  const shares = new Shares({
    total: { max: streamLimits.streams, refusedError: () => busyError('too many streams of changes are open') },
    each: {
      max: streamLimits.ofAUser,
      refusedError: () =>
        new RequestError('ERROR_RATE_LIMITED', 'the caller has too many streams of changes', {
          headers: retryHeaders,
          kind: 'streams',
        }),
    },
  });
  let areStreamsClosed = false;
  let resolveAllStreamsEnded: (() => void) | undefined;

  function takeSlot(subject: string): () => void {
    if (areStreamsClosed) throw busyError('the process is about to end');
    const leave = shares.enter(subject);
    return () => {
      leave();
      if (shares.running === 0) resolveAllStreamsEnded?.();
    };
  }

  /**
   * Sends `firstBatch`, then the batches that `read` returns. Each read checks the caller's token and rights first.
   * @throws RequestError ERROR_RATE_LIMITED for too many streams of one caller, ERROR_UNAVAILABLE for too many in all
   */
  function openStream(
    incoming: Request,
    state: AdmittedRequestState,
    firstBatch: ChangeBatch,
    read: () => Promise<ChangeBatch>,
  ): EndpointReply {
    const { res: response } = incoming;
    if (response === undefined) throw new Error('the request has no answer');
    const { subject, role, clientAccess } = state.caller;
    const accessToken = bearerToken(incoming);
    const releaseSlot = takeSlot(subject);
    const streamAbortController = new AbortController();
    let streamEndReason: EndReason = 'left';
    // Reads again at once, because no listener was woken by writes between the first read and `watch.listen`.
    let isStreamWoken = true;
    let wakeStream = (): void => undefined;

    const activeStream: ActiveChangeStream = {
      end: (because) => {
        if (streamAbortController.signal.aborted) return;
        streamEndReason = because;
        streamAbortController.abort();
      },
      breakOff: (because) => {
        activeStream.end(because);
        response.destroy();
      },
    };
    const stopListening = watch.listen({
      clients: role === 'ADMIN' && clientAccess.length === 0 ? undefined : new Set(clientAccess),
      wake: () => {
        isStreamWoken = true;
        wakeStream();
      },
    });
    activeStreams.add(activeStream);
    response.once('close', () => {
      activeStream.end('left');
      stopListening();
      activeStreams.delete(activeStream);
      endedCountByReason[streamEndReason] += 1;
      releaseSlot();
    });
    state.isStream = true;
    state.beginStream?.();

    /**
     * Resolves after `ms` or when the stream ends. With `mayBeWoken`, a write to a record of the stream's clients also
     * ends the pause.
     */
    function waitForWake(ms: number, mayBeWoken: boolean): Promise<void> {
      return new Promise((resolve) => {
        const stopWaiting = (): void => {
          clearTimeout(wakeWaitTimer);
          streamAbortController.signal.removeEventListener('abort', stopWaiting);
          wakeStream = () => undefined;
          resolve();
        };
        const wakeWaitTimer = setTimeout(stopWaiting, ms);
        streamAbortController.signal.addEventListener('abort', stopWaiting);
        if (mayBeWoken) wakeStream = stopWaiting;
        if (streamAbortController.signal.aborted || (mayBeWoken && isStreamWoken)) stopWaiting();
      });
    }

    async function readNextBatch(): Promise<ChangeBatch> {
      isStreamWoken = false;
      await verifier.verify(accessToken);
      return read();
    }

    async function* generateEvents(): AsyncGenerator<string> {
      for (let batch = firstBatch, sentAtMs = -Infinity; ; ) {
        // A read that found only changes hidden from the caller sends nothing: heartbeats come by the clock alone.
        if (batch.hasChanges || performance.now() >= sentAtMs + streamLimits.beatMs) {
          const stallTimer = setTimeout(() => {
            activeStream.breakOff('slow');
          }, streamLimits.stallMs);
          try {
            yield batch.text;
          } finally {
            clearTimeout(stallTimer);
          }
          sentAtMs = performance.now();
        }
        if (!batch.hasMore) {
          const readAtMs = performance.now();
          const msUntil = (ms: number): number => Math.max(ms - performance.now(), 0);
          const beatAtMs = sentAtMs + streamLimits.beatMs;
          await waitForWake(Math.min(msUntil(beatAtMs), verifier.remainingMs(accessToken)), true);
          await waitForWake(msUntil(Math.min(readAtMs + streamLimits.readMs, beatAtMs)), false);
        }
        try {
          if (!streamAbortController.signal.aborted) batch = await reads.run('all', readNextBatch);
        } catch (error) {
          state.error = toRequestError(error);
          activeStream.end(state.error.status === 401 || state.error.status === 403 ? 'rights' : 'failed');
          yield formatEndEvent(state.error);
          return;
        }
        if (streamAbortController.signal.aborted) {
          if (!areStreamsClosed) return;
          yield formatEndEvent(busyError('the process is about to end'));
          return;
        }
      }
    }

    return {
      status: 200,
      live: generateEvents(),
      headers: {
        'Content-Type': 'text/event-stream; charset=utf-8',
        // `no-transform` forbids proxies to compress the events, because compression would delay them.
        'Cache-Control': 'no-store, no-transform',
      },
    };
  }

  return {
    openStream,
    figures: () => ({ open: shares.running, ended: endedCountByReason }),
    /** Ends all streams. After `withinMs` at the latest, destroys the connections of callers that do not read. */
    async close(withinMs = streamLimits.closeMs): Promise<void> {
      areStreamsClosed = true;
      for (const stream of activeStreams) stream.end('closing');
      if (shares.running === 0) return;
      const { promise, resolve } = Promise.withResolvers<undefined>();
      resolveAllStreamsEnded = () => {
        resolve(undefined);
      };
      const breakOffTimer = setTimeout(
        () => {
          for (const stream of activeStreams) stream.breakOff('closing');
        },
        Math.min(withinMs, streamLimits.closeMs),
      );
      await promise;
      clearTimeout(breakOffTimer);
    },
  };
}

function busyError(reason: string): RequestError {
  return new RequestError('ERROR_UNAVAILABLE', reason, { headers: retryHeaders, kind: 'busy' });
}

/** Formats the last event of a stream. The code in the event tells the caller whether to log in again. */
function formatEndEvent({ code }: RequestError): string {
  return `event: end\ndata: ${JSON.stringify({ code })}\n\n`;
}
