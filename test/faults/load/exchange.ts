import { request as send } from 'node:http';
import type { Agent, IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from 'node:http';

export interface Sent {
  readonly port: number;
  readonly line: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body?: string | Buffer;
  /** The HTTP agent that keeps the connections of the load test open; false if the request opens a new connection. */
  readonly agent: Agent | false;
  /** The load test gives up a request that has no answer after this time, in milliseconds. */
  readonly boundMs: number;
  /**
   * The load test closes the request’s connection after this time, in milliseconds; undefined if it waits for the
   * answer.
   */
  readonly hangUpMs: number | undefined;
}

export interface Received {
  readonly status: number | null;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly lost: string | null;
  readonly ms: number;
}

/** Sends one request. A missing or incomplete answer is returned as a result and does not throw an error. */
export function exchange({ port, line, headers, body, agent, boundMs, hangUpMs }: Sent): Promise<Received> {
  const [method = '', path = ''] = line.split(' ');
  const started = performance.now();
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let status: number | null = null;
    let answered: IncomingHttpHeaders = {};
    const end = (lost: string | null): void => {
      clearTimeout(bound);
      const ms = Math.round(performance.now() - started);
      resolve({ status, headers: answered, body: Buffer.concat(chunks), lost, ms });
    };
    const request = send({ port, host: '127.0.0.1', method, path, headers, agent }, (response) => {
      status = response.statusCode ?? null;
      answered = response.headers;
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('end', () => {
        end(isOfProxy(response) ? `no answer: ${String(status)}` : null);
      });
      response.once('error', (error) => {
        end(`cut: ${codeOf(error)}`);
      });
    });
    const bound = setTimeout(() => {
      end('hung');
      request.destroy();
    }, boundMs);
    request.once('error', (error) => {
      end(codeOf(error));
    });
    if (hangUpMs !== undefined) setTimeout(() => request.destroy(new Error('hung up')), hangUpMs);
    request.end(body);
  });
}

/**
 * True if an error answer comes from a proxy in front of the service. The service sends the header X-Request-Id in each
 * of its own answers.
 */
function isOfProxy({ statusCode = 0, headers }: IncomingMessage): boolean {
  return [502, 503, 504].includes(statusCode) && headers['x-request-id'] === undefined;
}

function codeOf(error: Error): string {
  return 'code' in error ? String(error.code) : error.message;
}
