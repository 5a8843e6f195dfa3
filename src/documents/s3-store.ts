import { createReadStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import type { S3ClientConfig } from '@aws-sdk/client-s3';
import { isContentPath, outOfReach } from './content-store.ts';
import type { ContentStore } from './content-store.ts';

export interface S3Options {
  readonly bucket: string;
  /** What every key begins with; may be empty. */
  readonly prefix: string;
  /** Of a store that is not Amazon's. */
  readonly endpoint: string | undefined;
  /** Where absent, the SDK finds region and credentials where it always looks for them. */
  readonly access?: Pick<S3ClientConfig, 'region' | 'credentials'>;
}

const silent = (): void => undefined;

/** Contents as objects of a bucket. */
export function createS3Store({ bucket, prefix, endpoint, access }: S3Options): ContentStore {
  const client = new S3Client({
    ...access,
    // Others than Amazon rarely have a host name for each bucket, nor the checksums that newer SDKs add.
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // What fails is thrown; by default some of it is printed as well.
    logger: { debug: silent, info: silent, warn: silent, error: silent },
    requestHandler: { connectionTimeout: 3_000, requestTimeout: 30_000, throwOnRequestTimeout: true },
  });
  const locate = (path: string): { Bucket: string; Key: string } => {
    if (!isContentPath(path)) throw new Error(`${path} is no path of a content`);
    return { Bucket: bucket, Key: prefix === '' ? path : `${prefix}/${path}` };
  };

  return {
    async place(path, file) {
      const where = locate(path);
      try {
        const { size } = await stat(file);
        await client.send(
          new PutObjectCommand({ ...where, Body: createReadStream(file), ContentLength: size }),
        );
      } catch (error) {
        throw outOfReach(error);
      }
      // What stays behind, the spool's own sweep will find.
      await rm(file, { force: true }).catch(() => undefined);
    },
    async size(path) {
      if (!isContentPath(path)) return undefined;
      try {
        return (await client.send(new HeadObjectCommand(locate(path)))).ContentLength;
      } catch (error) {
        if (isAbsence(error)) return undefined;
        throw outOfReach(error);
      }
    },
    async read(path, range) {
      const part = range === undefined ? {} : { Range: `bytes=${range.start}-${range.end}` };
      const { Body } = await client
        .send(new GetObjectCommand({ ...locate(path), ...part }))
        .catch((error: unknown) => {
          throw isAbsence(error) ? new Error(`there is no content at ${path}`) : outOfReach(error);
        });
      if (!(Body instanceof Readable)) throw new Error('the SDK gave no stream of Node');
      return Body;
    },
    async remove(path) {
      if (!isContentPath(path)) return;
      await client.send(new DeleteObjectCommand(locate(path))).catch((error: unknown) => {
        throw outOfReach(error);
      });
    },
    close: () => {
      client.destroy();
    },
  };
}

/** A bucket that is gone is not the same as an object that is. */
function isAbsence(error: unknown): boolean {
  return error instanceof S3ServiceException && ['NoSuchKey', 'NotFound'].includes(error.name);
}
