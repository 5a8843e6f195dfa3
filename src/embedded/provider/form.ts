import type { IncomingMessage } from 'node:http';
import { RequestError } from '../../errors.ts';
import { within } from '../../within.ts';

/** An email, a password and their names, percent-encoded; and a change of a user with some thousand clients. */
export const FORM_BYTES = 8 * 1024;
export const JSON_BYTES = 256 * 1024;
const READING_MS = 10_000;

/**
 * Reads a body of the type that is meant, no longer than that, and within ten seconds.
 * @throws RequestError
 */
export async function bodyText(request: IncomingMessage, type: string, mostBytes: number): Promise<string> {
  const [given = ''] = (request.headers['content-type'] ?? '').split(';');
  if (given.trim().toLowerCase() !== type)
    throw new RequestError('ERROR_UNSUPPORTED_MEDIA_TYPE', `the body is not of the type ${type}`);
  if (Number(request.headers['content-length'] ?? 0) > mostBytes) throw tooLarge(mostBytes);
  const late = (): Error => new RequestError('ERROR_VALIDATION', 'the body did not come in time');
  return within(READING_MS, read(request, mostBytes), late);
}

async function read(request: IncomingMessage, mostBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > mostBytes) throw tooLarge(mostBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function tooLarge(mostBytes: number): RequestError {
  return new RequestError('ERROR_PAYLOAD_TOO_LARGE', `the body is larger than ${mostBytes} bytes`);
}
