import { request as send } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { connect } from 'node:net';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The parsed body of the HTTP response if the body is JSON. */
  readonly json: unknown;
}

export interface Question {
  readonly token?: string;
  readonly headers?: OutgoingHttpHeaders;
  /** The body of the test’s HTTP request: an object is sent as JSON, a string or buffer unchanged. */
  readonly body?: object | string | Buffer;
  /** The IP address to which the test sends the HTTP request; the default is 127.0.0.1. */
  readonly host?: string;
}

/** Sends one HTTP request on a new connection, with the path unchanged. */
export async function ask(port: number, line: string, question: Question = {}): Promise<Answer> {
  const [method = '', path = ''] = line.split(' ');
  const { token, body, host = '127.0.0.1' } = question;
  const isJson = typeof body === 'object' && !Buffer.isBuffer(body);
  const headers = {
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(isJson ? { 'content-type': 'application/json' } : {}),
    ...question.headers,
  };
  const { response, text } = await new Promise<{ response: IncomingMessage; text: string }>((resolve, reject) => {
    const request = send({ port, host, method, path, headers, agent: false }, (response) => {
      const isStream = response.headers['content-type']?.startsWith('text/event-stream') === true;
      if (isStream && method !== 'HEAD')
        request.destroy(new Error(`${line} was answered with a stream, which has no end`));
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', reject);
      response.once('end', () => {
        resolve({ response, text: Buffer.concat(chunks).toString() });
      });
    });
    request.once('error', reject);
    request.end(isJson ? JSON.stringify(body) : body);
  });
  const isText = text === '' || response.headers['content-type']?.startsWith('application/json') !== true;
  const json: unknown = isText ? undefined : JSON.parse(text);
  return { status: response.statusCode ?? 0, headers: response.headers, text, json };
}

/** Sends bytes on a new connection, and returns all that the server sends until it closes the connection. */
export async function askRaw(port: number, bytes: string, host = '127.0.0.1'): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(port, host, () => socket.write(bytes));
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => (text += chunk));
    socket.once('end', () => {
      socket.end();
      resolve(text);
    });
    socket.once('error', reject);
  });
}

/** Parses the bytes that a server sent on a connection as an HTTP response. */
export function parseRaw(text: string): { readonly answer: Answer; readonly head: string } {
  const [head = '', body = ''] = text.split('\r\n\r\n', 2);
  const [line = '', ...fields] = head.split('\r\n');
  const headers = Object.fromEntries(
    fields.map((field) => {
      const [, name = '', value = ''] = /^([^:]+): (.*)$/.exec(field) ?? [];
      return [name.toLowerCase(), value];
    }),
  );
  const json: unknown = body === '' ? undefined : JSON.parse(body);
  return { head, answer: { status: Number(line.split(' ')[1]), headers, text: body, json } };
}
