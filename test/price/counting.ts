import { createHook, executionAsyncResource } from 'node:async_hooks';
import { Socket } from 'node:net';

/*
 * A test loads this module into the service’s process. The module counts the work of each request and sends the counts
 * to the parent process. The service opens connections only to Postgres, and Node’s HTTP parser reads the sockets of
 * callers itself, so the counted socket reads are those of Postgres’s responses.
 */

const NOTHING = { promises: 0, timers: 0, writes: 0, reads: 0, statements: 0, bytesToPostgres: 0 };

export type Counts = typeof NOTHING;
export type Command = 'count' | 'counts' | 'allocate' | 'allocated';

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
  // A message to Postgres has one byte for its type, then four bytes for its length without the type.
  for (let at = 0; at + 5 <= chunk.length; at += 1 + chunk.readInt32BE(at + 1))
    if (chunk[at] === EXECUTE) counts.statements += 1;
}

const ANSWERS: Readonly<Record<Command, () => object>> = {
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

process.on('message', (command: Command) => process.send?.(ANSWERS[command]()));
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
