import { ServerResponse } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { RequestError } from '../errors.ts';
import { LINGER_MS } from '../limits.ts';

const unheard = new WeakSet<Socket>();

/** Whether nothing that the connection still says is listened to. */
export function isUnheard(socket: Socket): boolean {
  return unheard.has(socket);
}

/**
 * Makes the answer under way the last of its connection. Whatever else comes is thrown away as bytes: to parse chunks of
 * one byte each costs a hundred times what it costs to send them.
 */
function hearNoMore(socket: Socket): void {
  if (unheard.has(socket)) return;
  unheard.add(socket);
  // Node's parser is one of the listeners, and so is its complaint about a request that ends too early.
  socket.removeAllListeners('data');
  socket.removeAllListeners('end');
  socket.on('data', () => undefined);
  socket.resume();
  // With this Node ends a connection after its last answer.
  socket.destroySoon = () => {
    endInAMoment(socket);
  };
}

/** The same for an answer that may have begun already, and then has not said that it is the last. */
export function makeLast(answer: ServerResponse, socket: Socket): void {
  hearNoMore(socket);
  if (!answer.headersSent) answer.setHeader('Connection', 'close');
  else
    answer.once('close', () => {
      endInAMoment(socket);
    });
}

/** Ends a connection when all is sent and the other side has ended it, too, or a moment later. */
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
 * Makes an answer that is given before the body was read to its end the last of its connection: a refused body is never
 * read on, whoever refuses it, nor one that nobody asked for. An own method, because Express takes the class away.
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

/** Work that is of no use once its caller has gone: the signal tells it so, or that it has ended. */
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

/** @throws RequestError where the connection of a request has ended: nobody hears the answer */
export function refuseIfGone({ socket }: IncomingMessage): void {
  if (socket.destroyed) throw new RequestError('ERROR_VALIDATION', 'the request was broken off');
}
