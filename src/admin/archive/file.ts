import { createHash, hash as digestOf } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { syncFolder } from '../../make-folder.ts';
import { oneLineReason } from '../../single-line.ts';

/*
 * An archive file is a text, compressed with gzip, with one month of the audit log. The first line has the month. Each
 * audit record has one line of JSON, oldest first. The last line has the number of records and the digest, which is the
 * SHA-256 of all other lines.
 *
 * In a file of an earlier release, the first line also has `previous`, the digest of another file. Each record follows
 * the SHA-256 of itself and of the digest before it. The last line has the digest of the last record.
 */

const HEAD_PATTERN =
  /^\{"format":"taxclaims-audit-(?:1","number":\d+|2"),"month":"(\d{4}-\d{2})"(?:,"previous":"([0-9a-f]{64})")?\}$/;

export interface ArchivedMonth {
  readonly month: string;
  readonly records: number;
  readonly digest: string;
}

export class BrokenArchive extends Error {
  override readonly name = 'BrokenArchive';
}

/** Writes an archive file under a temporary name, and renames the file once all of it is on the disk. */
export async function writeArchive(path: string, month: string, records: AsyncIterable<string>): Promise<void> {
  async function* lines(): AsyncGenerator<string> {
    const head = `${JSON.stringify({ format: 'taxclaims-audit-2', month })}\n`;
    const hash = createHash('sha256').update(head);
    yield head;
    let count = 0;
    for await (const record of records) {
      count += 1;
      hash.update(`${record}\n`);
      yield `${record}\n`;
    }
    yield `${JSON.stringify({ records: count, digest: hash.digest('hex') })}\n`;
  }
  const file = createWriteStream(`${path}.partial`, { mode: 0o600, flush: true });
  await pipeline(lines, createGzip(), file);
  await rename(`${path}.partial`, path);
  await syncFolder(dirname(path));
}

/** Reads an archive file and compares it with its digest. @throws BrokenArchive */
export async function verifyArchive(path: string): Promise<ArchivedMonth> {
  try {
    return await pipeline(createReadStream(path), createGunzip().setEncoding('utf8'), verifyText);
  } catch (error) {
    throw new BrokenArchive(`${path} cannot be verified: ${oneLineReason(error)}`, { cause: error });
  }
}

async function verifyText(chunks: AsyncIterable<string>): Promise<ArchivedMonth> {
  const lines = splitLines(chunks);
  const { value: head = '' } = await lines.next();
  const [, month, previous] = HEAD_PATTERN.exec(head) ?? [];
  if (month === undefined) throw new Error('the file is no archive of the audit log');
  const hash = createHash('sha256').update(`${head}\n`);
  let latest = previous === undefined ? undefined : digestOf('sha256', `${previous} ${head}`);
  let records = 0;
  for await (const line of lines) {
    if (line.startsWith('{"records":')) {
      const digest = latest ?? hash.digest('hex');
      if (line !== JSON.stringify({ records, digest }))
        throw new Error('its records do not match the digest in its last line');
      if ((await lines.next()).done !== true) throw new Error('it goes on after the line with the digest');
      return { month, records, digest };
    }
    records += 1;
    if (latest === undefined) hash.update(`${line}\n`);
    else latest = readOldDigest(line, latest);
  }
  throw new Error('the last line, with the digest, is missing');
}

function readOldDigest(line: string, latest: string): string {
  const digest = digestOf('sha256', `${latest} ${line.slice(65)}`);
  if (!line.startsWith(`${digest} `)) throw new Error('a record was changed');
  return digest;
}

async function* splitLines(chunks: AsyncIterable<string>): AsyncGenerator<string, undefined> {
  let rest = '';
  for await (const chunk of chunks) {
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}
