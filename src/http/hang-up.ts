import { ServerResponse } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { RequestError } from '../errors.ts';
import { LINGER_MS } from '../limits.ts';

const unheard = new WeakSet<Socket>();

export function isUnheard(socket: Socket): boolean {
  return unheard.has(socket);
}

/**
 * Throws further bytes of a connection away without parsing them: to parse chunks of one byte each costs a hundred
 * times what it costs to send them.
 */
function hearNoMore(socket: Socket): void {
  if (unheard.has(socket)) return;
  unheard.add(socket);
  // Removes Node's parser, and its complaint about a request that ends too early.
  socket.removeAllListeners('data');
  socket.removeAllListeners('end');
  socket.on('data', () => undefined);
  socket.resume();
  // Node calls this after the last answer of a connection.
  socket.destroySoon = () => {
    endInAMoment(socket);
  };
}

/**
 * Makes an answer the last of its connection. An answer that has begun cannot say so: its connection is ended after it.
 */
export function makeLast(answer: ServerResponse, socket: Socket): void {
  hearNoMore(socket);
  if (!answer.headersSent) answer.setHeader('Connection', 'close');
  else
    answer.once('close', () => {
      endInAMoment(socket);
    });
}

/** Ends a connection when all is sent and the caller has ended its side, at the latest after LINGER_MS. */
export function endInAMoment(socket: Duplex): void {
  const destroy = (): void => void socket.destroy();
  const whenSent = (): void => {
    if (socket.writableFinished) destroy();
    else socket.once('finish', destroy);
  };
  socket.end();
  if (socket.readableEnded) whenSent();
  else socket.once('end', whenSent);
  setTimeout(destroy, LINGER_MS).unref();
}

/**
 * Where an answer begins before the whole body was read, the rest is thrown away and the connection ended. Replaces the
 * method of this response, because Express replaces its prototype.
 */
export function endUnread(request: IncomingMessage, response: ServerResponse): void {
  response.writeHead = (status: number, ...others: unknown[]) => {
    if (!request.complete) {
      response.setHeader('Connection', 'close');
      hearNoMore(request.socket);
    }
    ServerResponse.prototype.writeHead.call(response, status, ...(others as []));
    return response;
  };
}

/** Aborts the work when the caller hangs up. */
export async function whileThere<T>(
  { socket }: IncomingMessage,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const end = (): void => {
    over.abort();
  };
  socket.once('close', end);
  if (socket.destroyed) end();
  try {
    return await work(over.signal);
  } finally {
    socket.off('close', end);
    end();
  }
}

/** @throws RequestError where the caller has hung up */
export function refuseIfGone({ socket }: IncomingMessage): void {
  if (socket.destroyed) throw new RequestError('ERROR_VALIDATION', 'the request was broken off');
}
