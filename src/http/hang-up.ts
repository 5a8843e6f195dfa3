import { ServerResponse, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { hungUpError } from '../errors.ts';
import { DISCARD_BEFORE_CLOSE_MS } from '../limits.ts';

const discardedSockets = new WeakSet<Socket>();

export function isInputDiscarded(socket: Socket): boolean {
  return discardedSockets.has(socket);
}

/** Drops the rest of the request body without parsing it, because parsing many tiny chunks would cost time. */
function discardSocketInput(socket: Socket): void {
  if (discardedSockets.has(socket)) return;
  discardedSockets.add(socket);
  // Removes Node's HTTP parser from the socket, because the parser would report an error for an incomplete request.
  socket.removeAllListeners('data');
  socket.removeAllListeners('end');
  socket.on('data', () => undefined);
  socket.resume();
  socket.destroySoon = () => {
    closeSocketGracefully(socket);
  };
}

/** Closes the connection after `answer`, even if its headers were already sent without `Connection: close`. */
export function closeSocketAfterResponse(answer: ServerResponse, socket: Socket): void {
  discardSocketInput(socket);
  if (!answer.headersSent) answer.setHeader('Connection', 'close');
  else
    answer.once('close', () => {
      closeSocketGracefully(socket);
    });
}

/**
 * Closes a connection after all bytes are sent and the caller has closed its side, at the latest after
 * DISCARD_BEFORE_CLOSE_MS.
 */
export function closeSocketGracefully(socket: Duplex): void {
  const destroy = (): void => void socket.destroy();
  const destroyWhenSent = (): void => {
    if (socket.writableFinished) destroy();
    else socket.once('finish', destroy);
  };
  socket.end();
  if (socket.readableEnded) destroyWhenSent();
  else socket.once('end', destroyWhenSent);
  setTimeout(destroy, DISCARD_BEFORE_CLOSE_MS).unref();
}

/**
 * Closes the connection if the response begins before the whole request body has arrived. Replaces `writeHead` of the
 * response object itself, because Express replaces the prototype of responses.
 */
export function discardUnreadBody(request: IncomingMessage, response: ServerResponse): void {
  response.writeHead = (status: number, ...others: unknown[]) => {
    if (!request.complete) {
      response.setHeader('Connection', 'close');
      discardSocketInput(request.socket);
    }
    ServerResponse.prototype.writeHead.call(response, status, ...(others as []));
    return response;
  };
}

export async function abortOnHangUp<T>(
  { socket }: IncomingMessage,
  operation: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const abort = (): void => {
    controller.abort();
  };
  socket.once('close', abort);
  if (socket.destroyed) abort();
  try {
    return await operation(controller.signal);
  } finally {
    socket.off('close', abort);
    abort();
  }
}

/** @throws RequestError where the caller has hung up */
export function throwIfHungUp({ socket }: Pick<IncomingMessage, 'socket'>): void {
  if (socket.destroyed) throw hungUpError();
}
