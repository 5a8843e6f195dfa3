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
import { isContentPath, storeUnavailableError, rejectAsUnavailable, StoreStalled } from './content-store.ts';
import type { StoreTimeouts, ContentStore } from './content-store.ts';
import { ConfigError } from '../config/parse.ts';
import {
  PRESIGNED_URL_LIFETIME_S,
  DOCUMENT_STORE_RESPONSE_TIMEOUT_MS,
  DOCUMENT_STORE_CONNECT_TIMEOUT_MS,
  DOCUMENT_STORE_STALL_TIMEOUT_MS,
} from '../limits.ts';

export interface S3Options {
  readonly bucket: string;
  readonly prefix: string;
  readonly endpoint: string | undefined;
  readonly access?: Pick<S3ClientConfig, 'region' | 'credentials'>;
  readonly timeouts?: StoreTimeouts | undefined;
}

interface UploadCallbacks {
  readonly onBytes: () => void;
  readonly onFailure: (error: Error) => void;
}

/** The headers for which the SDK refuses an answer if they are no times; the service uses neither. */
const UNUSED_TIME_HEADERS = ['last-modified', 'x-amz-object-lock-retain-until-date'];

const doNothing = (): void => undefined;

/** Checks the AWS region, which the AWS SDK needs even for a store with its own endpoint. @throws ConfigError */
export async function requireRegion(access: S3Options['access']): Promise<void> {
  const client = new S3Client({ ...access });
  try {
    await client.config.region();
  } catch (error) {
    const isMissing = error instanceof Error && error.message === 'Region is missing';
    const problem = isMissing ? 'must be set' : 'must be a region such as eu-west-3';
    throw new ConfigError(`AWS_REGION ${problem}: DOCUMENT_STORE is an S3 store`, { cause: error });
  } finally {
    client.destroy();
  }
}

export function createS3Store({
  bucket,
  prefix,
  endpoint,
  access,
  timeouts: { answerMs, stallMs } = {
    answerMs: DOCUMENT_STORE_RESPONSE_TIMEOUT_MS,
    stallMs: DOCUMENT_STORE_STALL_TIMEOUT_MS,
  },
}: S3Options): ContentStore {
  const client = createClient(endpoint, access);
  const requests = createTimedRequests();
  const { inTime } = requests;
  const locate = (path: string): { Bucket: string; Key: string } => {
    if (!isContentPath(path)) throw new Error(`${path} is no path of a content`);
    return { Bucket: bucket, Key: prefix === '' ? path : `${prefix}/${path}` };
  };

  /** Checks that the bucket exists, because HEAD answers 404 for a missing object and for a missing bucket. */
  const ifMissing = async (error: unknown): Promise<undefined> => {
    if (!isMissingObject(error)) throw error;
    await inTime(answerMs, (abortSignal) => client.send(new HeadBucketCommand({ Bucket: bucket }), { abortSignal }));
  };

  return {
    async put(path, file) {
      const object = locate(path);
      const { size: ContentLength } = await rejectAsUnavailable(stat(file));
      const put = inTime(stallMs, async (abortSignal, { onBytes, onFailure }) => {
        const Body = Readable.from(readFileChunks(file, onBytes), { objectMode: false }).on('error', onFailure);
        try {
          await client.send(new PutObjectCommand({ ...object, Body, ContentLength }), { abortSignal });
        } finally {
          Body.destroy();
        }
      });
      await rejectAsUnavailable(put);
      // If the deletion of the upload file fails, a periodic task removes the file later as an abandoned upload.
      await rm(file, { force: true }).catch(() => undefined);
    },
    async size(path) {
      if (!isContentPath(path)) return undefined;
      const command = new HeadObjectCommand(locate(path));
      const asked = inTime(answerMs, (abortSignal) => client.send(command, { abortSignal }));
      const head = await rejectAsUnavailable(asked.catch(ifMissing));
      return head && requireSize(head.ContentLength);
    },
    async read(path, range) {
      const option = range === undefined ? {} : { Range: `bytes=${range.start}-${range.end}` };
      const get = new GetObjectCommand({ ...locate(path), ...option });
      const { Body } = await inTime(answerMs, (abortSignal) => client.send(get, { abortSignal })).catch(
        (error: unknown) => {
          throw isMissingObject(error) ? new Error(`there is no content at ${path}`) : storeUnavailableError(error);
        },
      );
      if (!(Body instanceof Readable)) throw new Error('the SDK gave no stream of Node');
      return Body;
    },
    async signedUrl(path, { type, disposition }) {
      const get = new GetObjectCommand({
        ...locate(path),
        ResponseContentType: type,
        ResponseContentDisposition: disposition,
        ResponseCacheControl: 'no-store',
      });
      return rejectAsUnavailable(
        inTime(answerMs, () => getSignedUrl(client, get, { expiresIn: PRESIGNED_URL_LIFETIME_S })),
      );
    },
    async *list() {
      const Prefix = prefix === '' ? '' : `${prefix}/`;
      let ContinuationToken: string | undefined;
      do {
        const listing = new ListObjectsV2Command({ Bucket: bucket, Prefix, ContinuationToken });
        const {
          Contents = [],
          NextContinuationToken = '',
          IsTruncated = NextContinuationToken !== '',
        } = await rejectAsUnavailable(inTime(answerMs, (abortSignal) => client.send(listing, { abortSignal })));
        for (const { Key = '', Size } of Contents) {
          const path = Key.slice(Prefix.length);
          if (isContentPath(path)) yield { path, size: requireSize(Size) };
        }
        if (IsTruncated && ['', ContinuationToken].includes(NextContinuationToken))
          throw storeUnavailableError(new Error('a listing does not say where it goes on'));
        ContinuationToken = IsTruncated ? NextContinuationToken : undefined;
      } while (ContinuationToken !== undefined);
    },
    async remove(path) {
      if (!isContentPath(path)) return;
      const command = new DeleteObjectCommand(locate(path));
      const deletion = inTime(answerMs, (abortSignal) => client.send(command, { abortSignal }));
      // Some stores answer 404 to the deletion of an object that is gone already.
      await rejectAsUnavailable(deletion.then(doNothing, ifMissing));
    },
    close: () => {
      requests.abort(new Error('the store is closed'));
      client.destroy();
    },
  };
}

function createClient(endpoint: string | undefined, access: S3Options['access']): S3Client {
  const client = new S3Client({
    ...access,
    // S3 stores of vendors other than Amazon rarely support a host name for each bucket or the checksums of newer SDKs.
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    logger: { debug: doNothing, info: doNothing, warn: doNothing, error: doNothing },
    requestHandler: { connectionTimeout: DOCUMENT_STORE_CONNECT_TIMEOUT_MS },
  });
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const { headers } = result.response as { readonly headers: Record<string, string> };
      for (const name of UNUSED_TIME_HEADERS) Reflect.deleteProperty(headers, name);
      return result;
    },
    { step: 'deserialize', priority: 'low', name: 'dropUnusedTimes' },
  );
  return client;
}

/** Limits the time of S3 requests with timers, because the AWS SDK ignores the abort signal during some waits. */
function createTimedRequests() {
  const underWay = new Set<AbortController>();
  async function inTime<T>(
    limitMs: number,
    send: (abortSignal: AbortSignal, callbacks: UploadCallbacks) => Promise<T>,
  ): Promise<T> {
    const controller = new AbortController();
    underWay.add(controller);
    const timer = setTimeout(() => {
      controller.abort(new StoreStalled('S3 did not answer in time'));
    }, limitMs);
    try {
      const callbacks: UploadCallbacks = {
        onBytes: () => timer.refresh(),
        onFailure: (error) => {
          controller.abort(error);
        },
      };
      const aborted = once(controller.signal, 'abort').then(() => Promise.reject(controller.signal.reason as Error));
      return await Promise.race([send(controller.signal, callbacks), aborted]);
    } catch (error) {
      throw controller.signal.aborted ? controller.signal.reason : error;
    } finally {
      clearTimeout(timer);
      underWay.delete(controller);
    }
  }

  return {
    inTime,
    abort(reason: Error): void {
      for (const controller of underWay) controller.abort(reason);
    },
  };
}

/** Without the length of a content nobody knows whether the content is whole. */
function requireSize(size: number | undefined): number {
  if (size === undefined || !Number.isSafeInteger(size)) throw storeUnavailableError(new Error('it gives no length'));
  return size;
}

async function* readFileChunks(file: string, onBytes: () => void): AsyncGenerator<Buffer> {
  for await (const chunk of createReadStream(file)) {
    onBytes();
    yield chunk as Buffer;
  }
}

function isMissingObject(error: unknown): boolean {
  return error instanceof S3ServiceException && ['NoSuchKey', 'NotFound'].includes(error.name);
}
