import { connect } from 'node:net';
import { ask } from '../support/http.ts';
import type { Answer, Question } from '../support/http.ts';
import { anyOf } from './attack.ts';
import type { Attack, AttackResponse } from './attack.ts';
import type { World } from './world.ts';

/** What it tries, its source, the statuses that refuse it, the line of the request, and the rest of it. */
export type HttpRow = readonly [
  tries: string,
  source: string,
  must: string,
  line: string,
  question?: Question | undefined,
];

/** What it tries, its source, the statuses of all answers on the connection, and the bytes as they are sent. */
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

export function responseOf({ status, headers, text }: Answer): AttackResponse {
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

/** Nothing more is said, and the service waits for more: then it is told that nothing comes. */
const SILENCE_MS = 700;

/** Says all of it, and gives whatever is answered until the service ends the connection. */
function exchange(port: number, bytes: string | Buffer): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => socket.write(bytes, 'latin1'));
    socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk));
    socket.setTimeout(SILENCE_MS, () => socket.end());
    // A connection that is reset was refused as well; what it said before counts.
    socket.on('error', () => undefined);
    socket.once('end', () => socket.destroy());
    socket.once('close', () => {
      resolve(text);
    });
  });
}
