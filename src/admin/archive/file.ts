import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { z } from 'zod';
import { syncFolder } from '../../make-folder.ts';

/*
 * An archive file is a text, compressed with gzip, with one month of the audit log. The first line of an archive has
 * the month, the file's number in the chain of archives and the last digest of the previous archive. Each audit record
 * has one line, oldest first: a digest, a blank, and the record as JSON. A record's digest covers the record and the
 * previous line's digest. The last line of an archive has the number of records and the digest of the last record.
 */

const ARCHIVE_FORMAT = 'taxclaims-audit-1';
const HEX = /^[0-9a-f]{64}$/;
export const NO_DIGEST = '0'.repeat(64);

const headerSchema = z.strictObject({
  format: z.literal(ARCHIVE_FORMAT),
  number: z.int().positive(),
  month: z.string().regex(/^\d{4}-\d{2}$/),
  previous: z.string().regex(HEX),
});
const endSchema = z.strictObject({ records: z.int().nonnegative(), digest: z.string().regex(HEX) });

export type ArchivePosition = Omit<z.output<typeof headerSchema>, 'format'>;
interface ArchivedMonth extends ArchivePosition {
  readonly records: number;
  readonly digest: string;
}

export class BrokenArchive extends Error {
  override readonly name = 'BrokenArchive';
}

function computeChainDigest(before: string, text: string): string {
  return createHash('sha256').update(`${before} ${text}`).digest('hex');
}

/** Writes an archive file under a temporary name, and renames the file once all of it is on the disk. */
export async function writeArchive(
  path: string,
  position: ArchivePosition,
  records: AsyncIterable<string>,
): Promise<ArchivedMonth> {
  const temporaryPath = `${path}.partial`;
  let writtenRecordCount = 0;
  let digest = '';
  async function* generateLines(): AsyncGenerator<string> {
    const headerLine = JSON.stringify({ format: ARCHIVE_FORMAT, ...position });
    digest = computeChainDigest(position.previous, headerLine);
    yield `${headerLine}\n`;
    for await (const record of records) {
      digest = computeChainDigest(digest, record);
      writtenRecordCount += 1;
      yield `${digest} ${record}\n`;
    }
    yield `${JSON.stringify({ records: writtenRecordCount, digest })}\n`;
  }
  const archiveWriteStream = createWriteStream(temporaryPath, { mode: 0o600, flush: true });
  await pipeline(Readable.from(generateLines()), createGzip(), archiveWriteStream);
  await rename(temporaryPath, path);
  await syncFolder(dirname(path));
  return { ...position, records: writtenRecordCount, digest };
}

/**
 * Checks an archive file: compares every record with its digest. @throws BrokenArchive naming the first changed line
 */
export async function verifyArchive(path: string): Promise<ArchivedMonth> {
  const brokenArchiveError = (line: number, what: string): BrokenArchive =>
    new BrokenArchive(`${path}, line ${line}: ${what}`);
  let lineNumber = 0;
  let verifiedPosition: ArchivePosition | undefined;
  let latestChainDigest = '';
  let parsedEndLine: Omit<ArchivedMonth, keyof ArchivePosition> | undefined;
  const archiveReadStream = createReadStream(path);
  const gunzipStream = createGunzip();
  // Without an error listener, a late error of `gunzipStream`, after `pipeline` has finished, would end the process.
  gunzipStream.on('error', () => undefined);
  // The loop over the archive's lines gets no errors of reading or gunzip, so `pipelineFailure` rejects with them.
  const pipelineFailure = new Promise<never>((_resolve, reject) => {
    pipeline(archiveReadStream, gunzipStream).catch(reject);
  });
  pipelineFailure.catch(() => undefined);
  const verifyLines = async (): Promise<void> => {
    for await (const line of createInterface({ input: gunzipStream, crlfDelay: Infinity })) {
      lineNumber += 1;
      if (parsedEndLine !== undefined) throw brokenArchiveError(lineNumber, 'there is more behind its end');
      if (verifiedPosition === undefined) {
        const header = parseLine(headerSchema, line);
        if (header === undefined) throw brokenArchiveError(lineNumber, 'it is no archive of the audit log');
        verifiedPosition = { number: header.number, month: header.month, previous: header.previous };
        latestChainDigest = computeChainDigest(header.previous, line);
      } else if (line.startsWith('{')) {
        parsedEndLine = parseLine(endSchema, line);
        if (parsedEndLine?.digest !== latestChainDigest || parsedEndLine.records !== lineNumber - 2)
          throw brokenArchiveError(lineNumber, 'its end does not fit what it holds');
      } else {
        const previousDigest = latestChainDigest;
        latestChainDigest = computeChainDigest(previousDigest, line.slice(65));
        if (line.slice(0, 65) !== `${latestChainDigest} `)
          throw brokenArchiveError(lineNumber, 'the record is not as it was written');
      }
    }
  };
  try {
    await Promise.race([verifyLines(), pipelineFailure]);
  } catch (error) {
    if (error instanceof BrokenArchive) throw error;
    throw brokenArchiveError(
      lineNumber + 1,
      `cannot be read (${error instanceof Error ? error.message : String(error)})`,
    );
  } finally {
    archiveReadStream.destroy();
    gunzipStream.destroy();
  }
  if (verifiedPosition === undefined || parsedEndLine === undefined)
    throw brokenArchiveError(lineNumber + 1, 'it ends before its end');
  return { ...verifiedPosition, ...parsedEndLine };
}

function parseLine<T>(schema: z.ZodType<T>, line: string): T | undefined {
  try {
    return schema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

export async function verifyArchiveChain(
  paths: readonly string[],
  onVerified: (file: ArchivedMonth, path: string) => void,
): Promise<void> {
  const verifiedArchives: { path: string; file: ArchivedMonth }[] = [];
  for (const path of paths) {
    const file = await verifyArchive(path);
    onVerified(file, path);
    verifiedArchives.push({ path, file });
  }
  verifiedArchives.sort((a, b) => a.file.number - b.file.number);
  for (const [index, { path, file }] of verifiedArchives.entries()) {
    const previousFile = verifiedArchives[index - 1];
    if (previousFile === undefined) continue;
    if (file.number !== previousFile.file.number + 1)
      throw new BrokenArchive(
        `${path} is number ${file.number}, ${previousFile.path} is ${previousFile.file.number}: there is a gap`,
      );
    if (file.previous !== previousFile.file.digest)
      throw new BrokenArchive(`${path} does not go on where ${previousFile.path} ended`);
  }
}
