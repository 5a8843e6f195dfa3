/** This process reads and changes claims at fixed rates, whether or not the earlier responses have arrived. */
import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

interface Phase {
  readonly seconds: number;
  readonly readsPerSecond: number;
  readonly changesPerSecond: number;
}

export interface Sent {
  /** How many milliseconds passed until the whole response to each read request had arrived. */
  readonly reads: readonly number[];
  readonly changes: readonly number[];
  /** The id of the claim for each change that was made. */
  readonly changed: readonly string[];
}

export interface Sending {
  readonly origin: string;
  readonly token: string;
  readonly client: string;
  /** The ids of the claims that the process reads and changes, one of each client. */
  readonly claims: readonly string[];
}

const { origin, token, client, claims } = JSON.parse(process.argv[2] ?? '') as Sending;
const agent = new Agent({ keepAlive: true });
let changesSent = 0;

process.on('disconnect', () => process.exit());
process.on('message', (phase: Phase) => {
  void run(phase).then((sent) => process.send?.(sent));
});

async function run({ seconds, readsPerSecond, changesPerSecond }: Phase): Promise<Sent> {
  const changed: string[] = [];
  const paths = [
    ...claims.slice(0, 10).map((id) => `/api/reclamations/${id}`),
    ...Array.from({ length: 5 }, () => `/api/clients/${client}/reclamations?limit=20`),
    ...Array.from({ length: 5 }, () => '/api/reclamations?limit=20'),
  ];
  const [reads, changes] = await Promise.all([
    atRate(readsPerSecond, seconds, (n) => answered('GET', paths[n % paths.length] ?? '')),
    atRate(changesPerSecond, seconds, () => {
      const claim = claims[changesSent % claims.length] ?? '';
      changed.push(claim);
      return answered('PUT', `/api/reclamations/${claim}`, { grounds: `Motif ${(changesSent += 1)}` });
    }),
  ]);
  return { reads, changes, changed };
}

/**
 * Sends requests at random times of a fixed average rate. At fixed intervals, two kinds of requests would always or
 * never coincide.
 */
async function atRate(
  perSecond: number,
  seconds: number,
  send: (n: number) => Promise<number>,
): Promise<readonly number[]> {
  const begun = performance.now();
  const waits: Promise<number>[] = [];
  const gap = (): number => (-Math.log(1 - Math.random()) * 1_000) / perSecond;
  for (let due = gap(); due < seconds * 1_000; due += gap()) {
    const early = begun + due - performance.now();
    if (early > 0) await delay(early);
    waits.push(send(waits.length));
  }
  return Promise.all(waits);
}

function answered(method: string, path: string, body?: object): Promise<number> {
  const begun = performance.now();
  return new Promise((resolve, reject) => {
    request(
      origin + path,
      {
        ...{ agent, method },
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      },
      (answer) => {
        if (answer.statusCode !== 200) reject(new Error(`${method} ${path}: ${answer.statusCode}`));
        answer.resume().once('end', () => {
          resolve(performance.now() - begun);
        });
      },
    )
      .once('error', reject)
      .end(body && JSON.stringify(body));
  });
}
