import { createHook, executionAsyncResource } from 'node:async_hooks';
import { Socket } from 'node:net';

/*
 * Imported before a service of a test: counts what it does for a request, and says so to the process that started it.
 * Of a connection that the service opened the other end is Postgres. What callers send is read by Node's parser: reads
 * are those of Postgres' answers.
 */

const NOTHING = { promises: 0, timers: 0, writes: 0, reads: 0, statements: 0, bytesToPostgres: 0 };

export type Counts = typeof NOTHING;
export type Asked = 'count' | 'counts' | 'allocate' | 'allocated';

const EXECUTE = 'E'.charCodeAt(0);

let counts = { ...NOTHING };
let allocatedBefore = 0;

const hook = createHook({
  init(_id, type) {
    if (type === 'PROMISE') counts.promises += 1;
    else if (type === 'Timeout') counts.timers += 1;
  },
  before() {
    if (executionAsyncResource().constructor.name === 'TCP') counts.reads += 1;
  },
});

type Write = (this: Socket, chunks: unknown, ...others: unknown[]) => void;
const prototype = Socket.prototype as unknown as { _write: Write; _writev: Write };
const { _write: write, _writev: writev } = prototype;
prototype._write = function (this: Socket, chunk, ...others) {
  sent(this, chunk);
  write.call(this, chunk, ...others);
};
prototype._writev = function (this: Socket, chunks, ...others) {
  sent(this, undefined);
  writev.call(this, chunks, ...others);
};

function sent(socket: Socket, chunk: unknown): void {
  counts.writes += 1;
  if (!('_host' in socket) || !Buffer.isBuffer(chunk)) return;
  counts.bytesToPostgres += chunk.length;
  // One byte that says what a message is, and four for its length without that byte.
  for (let at = 0; at + 5 <= chunk.length; at += 1 + chunk.readInt32BE(at + 1))
    if (chunk[at] === EXECUTE) counts.statements += 1;
}

const SAID: Readonly<Record<Asked, () => object>> = {
  count() {
    hook.enable();
    counts = { ...NOTHING };
    return {};
  },
  counts() {
    hook.disable();
    return counts;
  },
  allocate() {
    globalThis.gc?.();
    allocatedBefore = process.memoryUsage().heapUsed;
    return {};
  },
  allocated: () => ({ bytes: process.memoryUsage().heapUsed - allocatedBefore }),
};

process.on('message', (asked: Asked) => process.send?.(SAID[asked]()));
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
