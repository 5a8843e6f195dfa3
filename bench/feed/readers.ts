/** This process keeps streams of changes open, and counts their events. */
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

export interface Reader {
  readonly token: string;
  /** The ids of the claims whose changes one stream delivers. */
  readonly claims: readonly string[];
}

export interface Delivery {
  readonly due: number;
  readonly missed: number;
  readonly twice: number;
  /** The milliseconds from each change of a claim to its event in the stream of changes. */
  readonly delays: readonly number[];
}

/**
 * A stream has delivered every change after at most this many milliseconds, even if it missed the notification of the
 * change.
 */
const LATEST_MS = 21_000;

interface Stream {
  readonly claims: ReadonlySet<string>;
  readonly response: IncomingMessage;
  /** For each claim, the number of its changes that the streams have delivered. */
  readonly delivered: Map<string, number>;
}

const [, , origin = ''] = process.argv;
let streams: Stream[] = [];
let delays: number[] = [];

process.on('disconnect', () => process.exit());
/**
 * The parent process sends two kinds of messages. One contains readers, and this process then opens their streams. The
 * other contains changed claims, and this process closes the streams once each change has arrived.
 */
process.on('message', (message: { readonly open?: readonly Reader[]; readonly changed?: readonly string[] }) => {
  const done = message.changed === undefined ? openAll(message.open ?? []) : closeAll(message.changed);
  void done.then((delivered) => process.send?.(delivered));
});

async function openAll(readers: readonly Reader[]): Promise<number> {
  delays = [];
  for (const reader of readers) streams.push(await open(reader));
  return streams.length;
}

async function closeAll(changed: readonly string[]): Promise<Delivery> {
  const dueOf = ({ claims }: Stream): Map<string, number> => {
    const due = new Map<string, number>();
    for (const id of changed) if (claims.has(id)) due.set(id, (due.get(id) ?? 0) + 1);
    return due;
  };
  const expected = streams.map((stream) => ({ ...stream, due: dueOf(stream) }));
  const sum = (of: (due: number, delivered: number) => number): number =>
    expected
      .flatMap(({ due, delivered }) => [...due].map(([id, count]) => of(count, delivered.get(id) ?? 0)))
      .reduce((total, one) => total + one, 0);
  const missed = (): number => sum((due, delivered) => Math.max(due - delivered, 0));
  const latest = performance.now() + LATEST_MS;
  while (missed() > 0 && performance.now() < latest) await delay(50);
  const delivered = {
    due: sum((due) => due),
    missed: missed(),
    twice: sum((due, had) => Math.max(had - due, 0)),
  };
  for (const { response } of streams) response.destroy();
  streams = [];
  return { ...delivered, delays };
}

/**
 * Opens a stream of changes, and resolves once the stream has reported its present position. The stream must deliver
 * every later change.
 */
function open({ token, claims }: Reader): Promise<Stream> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' };
    request(`${origin}/api/changes`, { agent: false, headers }, (response) => {
      if (response.statusCode !== 200)
        reject(new Error(`the service answered a stream of changes with ${response.statusCode}`));
      const stream = { claims: new Set(claims), response, delivered: new Map<string, number>() };
      let begun = '';
      response.on('error', () => undefined);
      response.setEncoding('utf8').on('data', (text: string) => {
        const events = `${begun}${text}`.split('\n\n');
        begun = events.pop() ?? '';
        if (events.some((event) => event.includes('id: '))) resolve(stream);
        for (const event of events) if (event.startsWith('data: ')) count(stream.delivered, event.slice(6));
      });
    })
      .once('error', reject)
      .end();
  });
}

function count(delivered: Map<string, number>, data: string): void {
  const { id, at } = JSON.parse(data) as { readonly id: string; readonly at: string };
  delivered.set(id, (delivered.get(id) ?? 0) + 1);
  delays.push(Date.now() - Date.parse(at));
}
