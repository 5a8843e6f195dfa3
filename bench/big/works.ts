import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { CLAIM_OF_CLIENT } from '../scale/asked.ts';
import type { Asked } from '../scale/asked.ts';
import { uploadOf } from '../scale/kinds.ts';

export interface Subject extends Omit<Asked, 'document'> {
  readonly origin: string;
  /** The token of an ADMIN of all clients, who sends the large requests. */
  readonly admin: string;
}

/** A measured piece of work of the benchmark `big`: one or several large requests of one caller. */
export interface Work {
  readonly name: string;
  readonly run: (subject: Subject) => Promise<unknown>;
}

const ROWS = 10_000;
const UPLOADS = 20;
const UPLOADED_BYTES = 25_000_000;
const ARCHIVED = 200;
const KEPT = 2_000;
/** The benchmark opens at most this many connections at once, so that each finds a place in the server’s queue. */
const OPENED_AT_ONCE = 100;
const NOTHING_MS = 10_000;

export const WORKS: readonly Work[] = [
  { name: 'nothing', run: () => delay(NOTHING_MS) },
  { name: `an import of ${ROWS} claims`, run: importClaims },
  {
    name: 'all claims of a client as CSV',
    run: (subject) => readCsv(subject, `?client_id=${subject.client}`),
  },
  { name: 'all claims as CSV', run: (subject) => readCsv(subject, '') },
  { name: `${UPLOADS} uploads of 25 MB at once`, run: upload },
  { name: `${ARCHIVED - UPLOADS} more uploads, ${UPLOADS} at once`, run: uploadMore },
  { name: `the archive of ${ARCHIVED} uploaded documents`, run: readArchive },
  { name: `${KEPT} kept connections`, run: keepConnections },
];

async function importClaims({ origin, client, site, token }: Subject): Promise<void> {
  const { claim_type, amount, tax_year, commune_code } = CLAIM_OF_CLIENT;
  const head = 'client_id,site_id,claim_type,amount,tax_year,commune_code';
  const row = [client, site, claim_type, amount, tax_year, commune_code].join(',');
  const response = await fetch(`${origin}/api/reclamations/import`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await token(50)}`, 'content-type': 'text/csv' },
    body: [head, ...Array<string>(ROWS).fill(row)].join('\n'),
  });
  await assertStatus(response, 201);
}

/** Reads a CSV response in pieces, as a browser writes it to a file, and returns the number of its lines. */
async function readCsv({ origin, admin }: Subject, query: string): Promise<string> {
  const response = await fetch(`${origin}/api/reclamations${query}`, {
    headers: { authorization: `Bearer ${admin}`, accept: 'text/csv', 'accept-encoding': 'identity' },
  });
  if (response.body === null || response.status !== 200) return assertStatus(response, 200);
  let bytes = 0;
  let lines = 0;
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    for (const byte of chunk) if (byte === 10) lines += 1;
  }
  return `${lines} lines, ${(bytes / 1e6).toFixed(0)} MB`;
}

async function upload({ origin, claim, token }: Subject): Promise<void> {
  const headers = { authorization: `Bearer ${await token(50)}` };
  const url = `${origin}/api/reclamations/${claim}/documents`;
  const sent = Array.from({ length: UPLOADS }, async () =>
    assertStatus(await fetch(url, { method: 'POST', headers, body: uploadOf(UPLOADED_BYTES) }), 201),
  );
  await Promise.all(sent);
}

async function uploadMore(subject: Subject): Promise<void> {
  for (let uploaded = UPLOADS; uploaded < ARCHIVED; uploaded += UPLOADS) await upload(subject);
}

async function readArchive({ origin, claim, token }: Subject): Promise<string> {
  const response = await fetch(`${origin}/api/reclamations/${claim}/documents.zip`, {
    headers: { authorization: `Bearer ${await token(50)}` },
  });
  if (response.body === null || response.status !== 200) return assertStatus(response, 200);
  let bytes = 0;
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) bytes += chunk.length;
  return `${(bytes / 1e6).toFixed(0)} MB`;
}

/** Opens connections to the service that each send one request and stay open. */
async function keepConnections({ origin }: Subject): Promise<void> {
  const { hostname, port } = new URL(origin);
  const kept: Socket[] = [];
  try {
    while (kept.length < KEPT) {
      const opened = Array.from({ length: OPENED_AT_ONCE }, async () => {
        const socket = connect(Number(port), hostname);
        kept.push(socket);
        socket.write(`GET /health HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`);
        const [answer] = (await once(socket, 'data')) as [Buffer];
        if (!answer.toString('latin1').startsWith('HTTP/1.1 200')) throw new Error(answer.toString('latin1'));
      });
      await Promise.all(opened);
    }
  } finally {
    for (const socket of kept) socket.destroy();
  }
}

async function assertStatus(response: Response, expected: number): Promise<string> {
  const text = await response.text();
  if (response.status !== expected) throw new Error(`${response.url}: ${response.status} ${text.slice(0, 500)}`);
  return '';
}
