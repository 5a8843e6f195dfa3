import type { Request, Response } from 'express';
import { Shares } from '../shares.ts';
import type { ChangeWatch } from '../db/changes.ts';
import { RequestError } from '../errors.ts';
import type { TokenVerifier } from '../identity/token-verifier.ts';
import * as limit from '../limits.ts';
import { bearerToken } from './access.ts';
import type { EndpointReply } from './envelope.ts';
import { toRequestError } from './errors.ts';
import type { AdmittedRequestState } from './request-state.ts';

/* Sends changes of records as server-sent events: docs/decisions/change-feed.md */

export type ChangeStreams = ReturnType<typeof createChangeStreams>;

export interface ChangeStreamsOptions {
  readonly watch: ChangeWatch;
  readonly verifier: Pick<TokenVerifier, 'verify' | 'remainingMs'>;
  readonly limits?: Partial<Record<keyof typeof DEFAULT_LIMITS, number>>;
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

const DEFAULT_LIMITS = {
  streams: limit.MAX_CHANGE_STREAMS,
  ofAUser: limit.MAX_CHANGE_STREAMS_PER_USER,
  beatMs: limit.CHANGE_STREAM_HEARTBEAT_MS,
  readMs: limit.CHANGE_STREAM_READ_PAUSE_MS,
  readsAtOnce: limit.CONCURRENT_CHANGE_STREAM_READS,
  stallMs: limit.CHANGE_STREAM_STALL_TIMEOUT_MS,
  closeMs: limit.CHANGE_STREAM_CLOSE_TIMEOUT_MS,
};

type StreamLimits = Readonly<Record<keyof typeof DEFAULT_LIMITS, number>>;

const RETRY_HEADERS = { 'Retry-After': '5' };
const HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  // `no-transform` forbids proxies to compress the events, because compression would delay them.
  'Cache-Control': 'no-store, no-transform',
  // nginx would collect the events in its buffer.
  'X-Accel-Buffering': 'no',
};

export function createChangeStreams({ watch, verifier, limits: overrides = {} }: ChangeStreamsOptions) {
  const limits: StreamLimits = { ...DEFAULT_LIMITS, ...overrides };
  const ended: Record<EndReason, number> = { left: 0, rights: 0, slow: 0, failed: 0, closing: 0 };
  const streams = new Set<ChangeStream>();
  const reads = new Shares({ each: { max: limits.readsAtOnce } });
  let isClosed = false;
  let resolveEnded: (() => void) | undefined;

  function requireRoom(subject: string): void {
    if (isClosed) throw busyError(CLOSING_REASON);
    const own = [...streams].filter(({ state }) => state.caller.subject === subject);
    if (own.length >= limits.ofAUser)
      throw new RequestError('ERROR_RATE_LIMITED', 'the caller has too many streams of changes', {
        headers: RETRY_HEADERS,
        kind: 'streams',
      });
    if (streams.size >= limits.streams) throw busyError('too many streams of changes are open');
  }

  /**
   * Sends `first`, then the batches that `read` returns. Each read checks the caller's token and rights first.
   * @throws RequestError ERROR_RATE_LIMITED for too many streams of one caller, ERROR_UNAVAILABLE for too many in all
   */
  function openStream(
    incoming: Request,
    state: AdmittedRequestState,
    first: ChangeBatch,
    read: () => Promise<ChangeBatch>,
  ): EndpointReply {
    const { res: response } = incoming;
    if (response === undefined) throw new Error('the request has no answer');
    const { subject, role, clientAccess } = state.caller;
    const token = bearerToken(incoming);
    requireRoom(subject);
    const stream = new ChangeStream(response, state, limits);
    const stopListening = watch.listen({
      clients: role === 'ADMIN' && clientAccess.length === 0 ? undefined : new Set(clientAccess),
      wake: () => {
        stream.wake();
      },
    });
    streams.add(stream);
    response.once('close', () => {
      stream.end('left');
      stopListening();
      streams.delete(stream);
      ended[stream.endReason] += 1;
      if (streams.size === 0) resolveEnded?.();
    });
    state.isStream = true;
    state.beginStream?.();
    const readAgain = async (): Promise<ChangeBatch> => {
      stream.sleep();
      await verifier.verify(token);
      return read();
    };
    const readNext = () => reads.run('all', readAgain);
    return { status: 200, live: stream.events(first, readNext, () => verifier.remainingMs(token)), headers: HEADERS };
  }

  return {
    openStream,
    figures: () => ({ open: streams.size, ended }),
    /** Ends all streams. After `withinMs` at the latest, destroys the connections of callers that do not read. */
    async close(withinMs = limits.closeMs): Promise<void> {
      isClosed = true;
      for (const stream of streams) stream.end('closing');
      if (streams.size === 0) return;
      const timer = setTimeout(
        () => {
          for (const stream of streams) stream.breakOff('closing');
        },
        Math.min(withinMs, limits.closeMs),
      );
      await new Promise<void>((resolve) => {
        resolveEnded = resolve;
      });
      clearTimeout(timer);
    },
  };
}

/** A stream of one caller, from its first batch to its end. */
class ChangeStream {
  /** The metric of ended streams counts by this reason. */
  endReason: EndReason = 'left';
  /** True at first, because no listener was woken by writes between the first read and `watch.listen`. */
  #isWoken = true;
  #endPause = (): void => undefined;
  readonly state: AdmittedRequestState;
  readonly #end = new AbortController();
  readonly #response: Response;
  readonly #limits: StreamLimits;

  constructor(response: Response, state: AdmittedRequestState, limits: StreamLimits) {
    this.#response = response;
    this.state = state;
    this.#limits = limits;
  }

  /** Ends the stream after the event that is being sent. */
  end(reason: EndReason): void {
    if (this.#end.signal.aborted) return;
    this.endReason = reason;
    this.#end.abort();
  }

  breakOff(reason: EndReason): void {
    this.end(reason);
    this.#response.destroy();
  }

  wake(): void {
    this.#isWoken = true;
    this.#endPause();
  }

  /** Forgets the writes before a read, because the read finds them. */
  sleep(): void {
    this.#isWoken = false;
  }

  async *events(first: ChangeBatch, read: () => Promise<ChangeBatch>, tokenMs: () => number): AsyncGenerator<string> {
    for (let batch = first, sentMs = -Infinity; ; ) {
      // A read that found only changes hidden from the caller sends nothing: heartbeats come by the clock alone.
      if (batch.hasChanges || performance.now() >= sentMs + this.#limits.beatMs) {
        yield* this.#send(batch.text);
        sentMs = performance.now();
      }
      if (!batch.hasMore) await this.#awaitChanges(sentMs + this.#limits.beatMs, tokenMs());
      try {
        if (!this.#end.signal.aborted) batch = await read();
      } catch (thrown) {
        yield this.#fail(toRequestError(thrown));
        return;
      }
      if (this.#end.signal.aborted) {
        if (this.endReason === 'closing') yield formatEndEvent(busyError(CLOSING_REASON));
        return;
      }
    }
  }

  /** Breaks the stream off if the caller does not take the text in time. */
  *#send(text: string): Generator<string> {
    const timer = setTimeout(() => {
      this.breakOff('slow');
    }, this.#limits.stallMs);
    try {
      yield text;
    } finally {
      clearTimeout(timer);
    }
  }

  #fail(error: RequestError): string {
    this.state.error = error;
    this.end(error.status === 401 || error.status === 403 ? 'rights' : 'failed');
    return formatEndEvent(error);
  }

  /** Waits until a write wakes the stream, a heartbeat is due or the token ends, and at least for the pause between reads. */
  async #awaitChanges(beatMs: number, tokenMs: number): Promise<void> {
    const pauseMs = performance.now() + this.#limits.readMs;
    await this.#pause(Math.min(msUntil(beatMs), tokenMs), true);
    await this.#pause(msUntil(Math.min(pauseMs, beatMs)), false);
  }

  /** Ends after `ms` or with the stream; with `mayBeWoken`, also at a write to a record of the stream's clients. */
  #pause(ms: number, mayBeWoken: boolean): Promise<void> {
    const { signal } = this.#end;
    return new Promise((resolve) => {
      const stop = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', stop);
        this.#endPause = () => undefined;
        resolve();
      };
      const timer = setTimeout(stop, ms);
      signal.addEventListener('abort', stop);
      if (mayBeWoken) this.#endPause = stop;
      if (signal.aborted || (mayBeWoken && this.#isWoken)) stop();
    });
  }
}

const CLOSING_REASON = 'the process is about to end';

function msUntil(timeMs: number): number {
  return Math.max(timeMs - performance.now(), 0);
}

function busyError(reason: string): RequestError {
  return new RequestError('ERROR_UNAVAILABLE', reason, { headers: RETRY_HEADERS, kind: 'busy' });
}

/** Formats the last event of a stream. The code in the event tells the caller whether to log in again. */
function formatEndEvent({ code }: RequestError): string {
  return `event: end\ndata: ${JSON.stringify({ code })}\n\n`;
}
