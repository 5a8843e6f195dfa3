import type { IncomingMessage } from 'node:http';
import { pipeline, type Duplex, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { parse as parseContentType } from 'content-type';
import type { Request } from 'express';
import { problemsText, validationError, RequestError, type Problem } from '../errors.ts';
import { limitBody, tooLargeError } from './body-stream.ts';
import { scanJson, type JsonBudget } from './json-budget.ts';
import { throwIfHungUp } from './hang-up.ts';
import { LARGE_JSON_BODY_BYTES } from '../limits.ts';
import { waitForLoopTurn } from '../loop-turns.ts';
import { rule, formatProblemText, type ProblemRule } from '../problems.ts';

/** The service does not accept Zstandard, because a Zstandard frame may ask for 128 MiB of memory. */
const DECODERS: Readonly<Record<string, () => Duplex>> = {
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** @throws RequestError for a body that is invalid, too large, too slow or of another type */
export async function readJson(request: Request, budget: JsonBudget): Promise<unknown> {
  const bytes = await readBodyBytes(request, budget.bytes, requireJson);
  bodyBytes.set(request, bytes);
  if (bytes.length > LARGE_JSON_BODY_BYTES) {
    await waitForLoopTurn();
    throwIfHungUp(request);
  }
  const { excess } = scanJson(bytes, budget);
  if (excess !== undefined) throw problemError(excess);
  return parseJson(bytes);
}

/** Reads and decompresses a request body. @throws RequestError as `readJson` does, except for invalid JSON */
export async function readBodyBytes(
  request: Request,
  maxBytes: number,
  requireType: (contentType: string | undefined) => void,
): Promise<Buffer> {
  const { headers } = request;
  const length = Number(headers['content-length'] ?? 0);
  if (length === 0 && headers['transfer-encoding'] === undefined) throw invalidBodyError(rule('required'));
  requireType(headers['content-type']);
  const createDecoder = findDecoderFactory(headers['content-encoding']);
  if (length > maxBytes) throw tooLargeError(`a body of ${length} bytes`);
  sendContinue(request);
  const body = limitBody(request, { maxBytes });
  // The callback of `pipeline` ignores the error, because the reader of the last stream gets every error.
  return readBodyToEnd(request, createDecoder ? pipeline(body, createDecoder(), () => undefined) : body, maxBytes);
}

const bodyBytes = new WeakMap<IncomingMessage, Buffer>();

export function findBodyBytes(request: IncomingMessage): Buffer | undefined {
  return bodyBytes.get(request);
}

/** After all checks that need no body, tells a caller that sent `Expect: 100-continue` to send the body. */
export function sendContinue({ headers, res: response }: Request): void {
  if (headers.expect?.toLowerCase() === '100-continue') response?.writeContinue();
}

export const parseMediaType = (header = '') => parseContentType(header);

export function requireJson(contentType: string | undefined): void {
  const { type, parameters } = parseMediaType(contentType);
  if (type === 'application/json' && /^utf-?8$/i.test(parameters['charset'] ?? 'utf-8')) return;
  throw new RequestError('ERROR_UNSUPPORTED_MEDIA_TYPE', `content type ${contentType ?? '(none)'}`);
}

function findDecoderFactory(encoding = 'identity'): (() => Duplex) | undefined {
  const name = encoding.toLowerCase();
  if (name === 'identity') return undefined;
  const factory = Object.hasOwn(DECODERS, name) ? DECODERS[name] : undefined;
  if (factory === undefined) throw new RequestError('ERROR_UNSUPPORTED_MEDIA_TYPE', `content encoding ${name}`);
  return factory;
}

async function readBodyToEnd(request: IncomingMessage, body: Readable, maxBytes: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  try {
    for await (const piece of body as AsyncIterable<Buffer>) {
      throwIfHungUp(request);
      length += piece.length;
      if (length > maxBytes) throw tooLargeError(`a body of more than ${maxBytes} bytes`);
      pieces.push(piece);
    }
  } catch (error) {
    throw error instanceof RequestError
      ? error
      : new RequestError('ERROR_VALIDATION', 'the body cannot be decoded', { cause: error });
  }
  return Buffer.concat(pieces);
}

/** Refuses invalid UTF-8: a lenient decoder would store other text than the caller sent. */
export function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw notJsonError();
  }
}

export function notJsonError(): RequestError {
  return invalidBodyError(rule('not_json'));
}

export function problemError(problem: Problem): RequestError {
  return new RequestError('ERROR_VALIDATION', problemsText([problem]), { problems: [problem] });
}

export function invalidBodyError(broken: ProblemRule): RequestError {
  return validationError('body', broken, `the body ${formatProblemText(broken)}`);
}
