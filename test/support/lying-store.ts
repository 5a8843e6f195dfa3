import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import S3rver from 's3rver';

export const BUCKET = 'documents';
export const ACCESS = { region: 'eu-west-3', credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' } };

/**
 * Falsifies the bytes that the test’s S3 server stores or returns. If the function returns undefined for an upload, the
 * server stores nothing.
 */
type Lie = (sent: Buffer) => Buffer | undefined;

export const LIES = {
  nothing: () => undefined,
  half: (sent) => sent.subarray(0, sent.length / 2),
  'something longer': (sent) => Buffer.concat([sent, sent]),
  'one byte otherwise': flipped,
} as const satisfies Readonly<Record<string, Lie>>;

/** Flips one bit in the middle of some bytes. */
export function flipped(bytes: Buffer): Buffer {
  const other = Buffer.from(bytes);
  const middle = Math.floor(other.length / 2);
  other[middle] = (other[middle] ?? 0) ^ 1;
  return other;
}

/**
 * An S3 server that answers 200 but stores or returns wrong bytes. If it returns too few bytes, it cuts the connection
 * after them.
 */
interface LyingStore {
  readonly endpoint: string;
  /** Makes the S3 server falsify later requests of the given HTTP method, or none if no function is given. */
  tell(about?: 'PUT' | 'GET', lie?: Lie): void;
  close(): Promise<void>;
}

export async function startLyingStore(directory: string): Promise<LyingStore> {
  const configureBuckets = [{ name: BUCKET }];
  const s3 = new S3rver({ address: '127.0.0.1', port: 0, silent: true, configureBuckets, directory });
  const { port } = await s3.run();
  let about: string | undefined;
  let lie: Lie = (bytes) => bytes;
  const server = createServer((incoming, answer) => {
    void (async () => {
      const { method, url: path } = incoming;
      const replace = method === about ? lie : undefined;
      const sent = await buffer(incoming);
      const kept = method === 'PUT' && replace ? replace(sent) : sent;
      if (kept === undefined) {
        answer.writeHead(200, { ETag: '"0"' }).end();
        return;
      }
      const lengthOf = (length: number) => replace && { 'content-length': String(length) };
      const headers = { ...incoming.headers, ...(method === 'PUT' && lengthOf(kept.length)) };
      const forwarded = request({ host: '127.0.0.1', port, method, path, headers }).end(kept);
      const [response] = (await once(forwarded, 'response')) as [IncomingMessage];
      const found = method === 'HEAD' ? Buffer.alloc(0) : await buffer(response);
      const given = (method === 'GET' && replace?.(found)) || found;
      answer.writeHead(response.statusCode ?? 502, {
        ...response.headers,
        ...(method === 'GET' && lengthOf(Math.max(found.length, given.length))),
      });
      if (given.length < found.length) answer.write(given, () => answer.destroy());
      else answer.end(given);
    })().catch(() => answer.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    tell(method, next = (bytes) => bytes) {
      about = method;
      lie = next;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await s3.close();
    },
  };
}
