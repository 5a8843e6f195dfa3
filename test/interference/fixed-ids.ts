import crypto from 'node:crypto';
import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { idOf } from './ids.ts';

/*
 * A test loads this module into two services, so that both answer the same request with the same ids. The module
 * computes each random id and secret of a service from the request’s header X-Turn.
 */

let turn = 'start';
let made = 0;

subscribe('http.server.request.start', (message) => {
  const { request } = message as { request: IncomingMessage };
  turn = String(request.headers['x-turn']);
  made = 0;
});

crypto.randomUUID = () => {
  made += 1;
  return idOf('made', turn, made) as ReturnType<typeof crypto.randomUUID>;
};
const { randomBytes } = crypto;
crypto.randomBytes = ((size: number, callback?: (error: Error | null, bytes: Buffer) => void) => {
  if (callback !== undefined) {
    randomBytes(size, callback);
    return undefined;
  }
  made += 1;
  return crypto.createHash('shake256', { outputLength: size }).update(`${turn} ${made}`).digest();
}) as typeof crypto.randomBytes;
syncBuiltinESMExports();
