import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { afterAll, expect, test } from '@jest/globals';
import { fetchEventSource } from '@microsoft/fetch-event-source';
import { EventSource } from 'eventsource';
import { createParser } from 'eventsource-parser';
import { make } from '../support/rows.ts';
import { startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';
import { until } from '../support/upload.ts';

/* These tests read the stream of GET /api/changes with three libraries of others, over connections that are cut. */

const service = await forSuite(startService({ changeStreams: { readMs: 10, lookMs: 10, beatMs: 50 } }));
const [own] = [await service.furnishedTenant('Own')];
const token = await service.token('CLIENT', [own.clients]);
const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' };

// @microsoft/fetch-event-source is written for browsers: it takes its timers from `window`, and watches `document`.
const nothing = (): void => undefined;
const page = { hidden: false, addEventListener: nothing, removeEventListener: nothing };
Object.assign(globalThis, { window: globalThis, document: page });
afterAll(() => {
  for (const name of ['window', 'document']) Reflect.deleteProperty(globalThis, name);
});

/** The connections that lead to the service, which a test cuts. */
const sockets = new Set<Socket>();
const line = createServer((socket) => {
  const far = connect(service.port, '127.0.0.1');
  for (const [from, to] of [
    [socket, far],
    [far, socket],
  ] as const) {
    from.on('error', () => undefined).once('close', () => to.destroy());
    from.pipe(to);
  }
  sockets.add(socket);
  socket.once('close', () => sockets.delete(socket));
}).listen(0, '127.0.0.1');
await once(line, 'listening');
await forSuite({
  close: () => {
    line.close();
    cut();
    return Promise.resolve();
  },
});
const url = `http://127.0.0.1:${(line.address() as AddressInfo).port}/api/changes`;

function cut(): void {
  for (const socket of sockets) socket.destroy();
}

interface Reader {
  /** The ids of the sites whose changes the reader was told, in order. */
  readonly told: string[];
  /** The ids that the reader has kept, which it sends as Last-Event-ID after a cut. */
  readonly ids: (string | undefined)[];
  close(): void;
}

const READERS: Readonly<Record<string, () => Reader>> = {
  eventsource: () => {
    const reader = { told: [] as string[], ids: [] as string[] };
    const source = new EventSource(url, {
      fetch: (input, init) => fetch(input, { ...init, headers: { ...init.headers, ...headers } }),
    });
    source.addEventListener('message', ({ data, lastEventId }) => {
      reader.told.push((JSON.parse(data as string) as { id: string }).id);
      reader.ids.push(lastEventId);
    });
    source.addEventListener('place', ({ lastEventId }) => void reader.ids.push(lastEventId));
    return {
      ...reader,
      close: () => {
        source.close();
      },
    };
  },
  '@microsoft/fetch-event-source': () => {
    const reader = { told: [] as string[], ids: [] as string[] };
    const abort = new AbortController();
    void fetchEventSource(url, {
      ...{ headers, fetch, signal: abort.signal, openWhenHidden: true },
      onmessage: ({ data, event, id }) => {
        const read = JSON.parse(data) as { id: string };
        if (event === '') reader.told.push(read.id);
        if (id !== '') reader.ids.push(id);
      },
      onerror: () => 10,
    });
    return {
      ...reader,
      close: () => {
        abort.abort();
      },
    };
  },
  'eventsource-parser': () => {
    const reader = { told: [] as string[], ids: [] as (string | undefined)[] };
    const abort = new AbortController();
    const read = async (): Promise<void> => {
      const last = reader.ids.at(-1);
      const parser = createParser({
        onEvent: ({ data, event, id }) => {
          if (event === undefined) reader.told.push((JSON.parse(data) as { id: string }).id);
          if (id !== undefined) reader.ids.push(id);
        },
      });
      const answer = await fetch(url, {
        headers: { ...headers, ...(last !== undefined && { 'last-event-id': last }) },
        signal: abort.signal,
      });
      for await (const piece of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) parser.feed(piece);
    };
    const readAgain = (): Promise<void> => read().catch(() => (abort.signal.aborted ? undefined : readAgain()));
    void readAgain();
    return {
      ...reader,
      close: () => {
        abort.abort();
      },
    };
  },
};

async function createSite(): Promise<string> {
  const id = randomUUID();
  await make(service, 'sites', { id, client_id: own.clients });
  return id;
}

test.each(Object.entries(READERS))(
  'a reader with %s misses and repeats no change when its connection is cut',
  async (_name, open) => {
    const reader = open();
    // The connection is cut before the first change, after a change, and after two changes.
    const made: string[] = [];
    for (const count of [0, 1, 2]) {
      const known = reader.ids.length;
      if (count === 0) await until(() => Promise.resolve(reader.ids.length > 0));
      for (let one = 0; one < count; one += 1) made.push(await createSite());
      await until(() =>
        Promise.resolve(reader.told.length >= made.length && reader.ids.length >= Math.min(known + count, 1)),
      );
      cut();
      made.push(await createSite());
    }
    await until(() => Promise.resolve(reader.told.length >= made.length));
    expect(reader.told).toEqual(made);
    reader.close();
  },
);
