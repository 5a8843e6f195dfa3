import { connect } from 'node:net';
import { ask } from '../support/http.ts';
import type { Answer, Question } from '../support/http.ts';
import { anyOf } from './attack.ts';
import type { Attack, AttackResponse } from './attack.ts';
import type { World } from './world.ts';

/** An attack by one HTTP request: its name, the standard that describes it, the accepted statuses, and the request. */
export type HttpRow = readonly [
  tries: string,
  source: string,
  must: string,
  line: string,
  question?: Question | undefined,
];

/**
 * An attack by raw bytes on a connection: its name, the standard that describes it, the accepted statuses of all
 * answers, and the bytes.
 */
export type RawRow = readonly [tries: string, source: string, must: string, bytes: string | Buffer];

export function overHttp({ port }: World, rows: readonly HttpRow[]): Attack[] {
  return rows.map(([tries, source, must, line, question]) => ({
    ...{ tries, source, must: anyOf(must), said: `${line} ${JSON.stringify(question?.body ?? '')}` },
    attempt: async () => responseOf(await ask(port, line, question)),
  }));
}

export function asBytes({ port }: World, rows: readonly RawRow[]): Attack[] {
  return rows.map(([tries, source, must, bytes]) => ({
    ...{ tries, source, must: anyOf(must), said: bytes.toString('latin1') },
    attempt: async () => responseOfBytes(await exchange(port, bytes)),
  }));
}

function responseOf({ status, headers, text }: Answer): AttackResponse {
  const id = String(headers['x-request-id']);
  return {
    result: String(status),
    text: `${JSON.stringify(headers)}\n${text}`,
    refusals: status === 401 || status === 403 ? [id] : [],
  };
}

const HEAD = /HTTP\/1\.1 ([2-5]\d\d) .*\r\n((?:[^\r\n]+\r\n)*)/g;

function responseOfBytes(text: string): AttackResponse {
  const heads = [...text.matchAll(HEAD)].map(([, status = '', fields = '']) => ({ status, fields }));
  return {
    result: heads.length === 0 ? 'nothing' : heads.map(({ status }) => status).join(','),
    text,
    refusals: heads
      .filter(({ status }) => status === '401' || status === '403')
      .map(({ fields }) => /^x-request-id: (.*)\r$/im.exec(fields)?.[1] ?? ''),
  };
}

/** If no bytes arrive for this number of milliseconds, the attacker closes its side of the connection. */
const SILENCE_MS = 700;

/**
 * Sends bytes on a connection, and collects the text that the service answers until the service closes the connection.
 */
function exchange(port: number, bytes: string | Buffer): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => socket.write(bytes, 'latin1'));
    socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk));
    socket.setTimeout(SILENCE_MS, () => socket.end());
    // If the service resets the connection, the answers that arrived before the reset are kept.
    socket.on('error', () => undefined);
    socket.once('end', () => socket.destroy());
    socket.once('close', () => {
      resolve(text);
    });
  });
}
