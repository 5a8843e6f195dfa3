import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import type { S3ClientConfig } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { isContentPath, outOfReach, reaching, StoreStalled } from './content-store.ts';
import type { Bounds, ContentStore } from './content-store.ts';
import { ADDRESS_S, STORE_ANSWER_MS, STORE_CONNECT_MS, STORE_STALL_MS } from '../limits.ts';

export interface S3Options {
  readonly bucket: string;
  readonly prefix: string;
  readonly endpoint: string | undefined;
  readonly access?: Pick<S3ClientConfig, 'region' | 'credentials'>;
  readonly bounds?: Bounds | undefined;
}

interface Progress {
  readonly moved: () => void;
  readonly failed: (error: Error) => void;
}

const silent = (): void => undefined;

export function createS3Store({
  bucket,
  prefix,
  endpoint,
  access,
  bounds: { answerMs, stallMs } = { answerMs: STORE_ANSWER_MS, stallMs: STORE_STALL_MS },
}: S3Options): ContentStore {
  const client = new S3Client({
    ...access,
    // Stores other than Amazon's rarely have a host name for each bucket or the checksums of newer SDKs.
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    logger: { debug: silent, info: silent, warn: silent, error: silent },
    requestHandler: { connectionTimeout: STORE_CONNECT_MS },
  });
  const underWay = new Set<AbortController>();
  const locate = (path: string): { Bucket: string; Key: string } => {
    if (!isContentPath(path)) throw new Error(`${path} is no path of a content`);
    return { Bucket: bucket, Key: prefix === '' ? path : `${prefix}/${path}` };
  };

  /** Limits the time of an exchange, because some waits of the SDK ignore the abort signal. */
  async function answered<T>(
    limitMs: number,
    send: (abortSignal: AbortSignal, progress: Progress) => Promise<T>,
  ): Promise<T> {
    const work = new AbortController();
    underWay.add(work);
    const timer = setTimeout(() => {
      work.abort(new StoreStalled('S3 did not answer in time'));
    }, limitMs);
    try {
      const progress: Progress = {
        moved: () => timer.refresh(),
        failed: (error) => {
          work.abort(error);
        },
      };
      const aborted = once(work.signal, 'abort').then(() => Promise.reject(work.signal.reason as Error));
      return await Promise.race([send(work.signal, progress), aborted]);
    } catch (error) {
      throw work.signal.aborted ? work.signal.reason : error;
    } finally {
      clearTimeout(timer);
      underWay.delete(work);
    }
  }

  /** Asks for the bucket as well: the answer to HEAD does not tell a missing bucket from a missing object. */
  const unlessAbsent = async (error: unknown): Promise<undefined> => {
    if (!isAbsence(error)) throw error;
    await answered(answerMs, (abortSignal) =>
      client.send(new HeadBucketCommand({ Bucket: bucket }), { abortSignal }),
    );
  };

  return {
    async place(path, file) {
      const where = locate(path);
      const { size: ContentLength } = await reaching(stat(file));
      const put = answered(stallMs, async (abortSignal, { moved, failed }) => {
        const Body = Readable.from(chunksOf(file, moved), { objectMode: false }).on('error', failed);
        try {
          await client.send(new PutObjectCommand({ ...where, Body, ContentLength }), { abortSignal });
        } finally {
          Body.destroy();
        }
      });
      await reaching(put);
      // If the deletion fails, the file is removed later as an abandoned upload.
      await rm(file, { force: true }).catch(() => undefined);
    },
    async size(path) {
      if (!isContentPath(path)) return undefined;
      const head = new HeadObjectCommand(locate(path));
      const answer = answered(answerMs, (abortSignal) => client.send(head, { abortSignal }));
      return (await reaching(answer.catch(unlessAbsent)))?.ContentLength;
    },
    async read(path, range) {
      const part = range === undefined ? {} : { Range: `bytes=${range.start}-${range.end}` };
      const get = new GetObjectCommand({ ...locate(path), ...part });
      const { Body } = await answered(answerMs, (abortSignal) => client.send(get, { abortSignal })).catch(
        (error: unknown) => {
          throw isAbsence(error) ? new Error(`there is no content at ${path}`) : outOfReach(error);
        },
      );
      if (!(Body instanceof Readable)) throw new Error('the SDK gave no stream of Node');
      return Body;
    },
    async addressOf(path, { type, disposition }) {
      const get = new GetObjectCommand({
        ...locate(path),
        ...{ ResponseContentType: type, ResponseContentDisposition: disposition },
        ResponseCacheControl: 'no-store',
      });
      return reaching(answered(answerMs, () => getSignedUrl(client, get, { expiresIn: ADDRESS_S })));
    },
    async *list() {
      const Prefix = prefix === '' ? '' : `${prefix}/`;
      let ContinuationToken: string | undefined;
      do {
        const page = new ListObjectsV2Command({ Bucket: bucket, Prefix, ContinuationToken });
        const { Contents = [], NextContinuationToken } = await reaching(
          answered(answerMs, (abortSignal) => client.send(page, { abortSignal })),
        );
        for (const { Key = '', Size = 0 } of Contents) {
          const path = Key.slice(Prefix.length);
          if (isContentPath(path)) yield { path, size: Size };
        }
        ContinuationToken = NextContinuationToken;
      } while (ContinuationToken !== undefined);
    },
    async remove(path) {
      if (!isContentPath(path)) return;
      const removal = new DeleteObjectCommand(locate(path));
      await reaching(answered(answerMs, (abortSignal) => client.send(removal, { abortSignal })));
    },
    close: () => {
      for (const work of underWay) work.abort(new Error('the store is closed'));
      client.destroy();
    },
  };
}

async function* chunksOf(file: string, moved: () => void): AsyncGenerator<Buffer> {
  for await (const chunk of createReadStream(file)) {
    moved();
    yield chunk as Buffer;
  }
}

function isAbsence(error: unknown): boolean {
  return error instanceof S3ServiceException && ['NoSuchKey', 'NotFound'].includes(error.name);
}
