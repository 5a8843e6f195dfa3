import { createHmac, hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { KeyedRequest } from '../db/kept-answers.ts';
import { RequestError } from '../errors.ts';
import { KEY_CHARACTERS } from '../limits.ts';

/* The header field Idempotency-Key: draft-ietf-httpapi-idempotency-key-header. */

const NAME = 'Idempotency-Key';

/** A string of RFC 9651, which is what the draft asks for. */
const QUOTED = /^"(?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*"$/;

/** What most senders send all the same. A comma would stand between two fields, a semicolon before a parameter. */
const BARE = /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*$/;

/**
 * The key of a request, the same whether it came in quotes or not; undefined where it has none.
 * @throws RequestError ERROR_VALIDATION
 */
export function idempotencyKeyOf({
  headersDistinct,
}: Pick<IncomingMessage, 'headersDistinct'>): string | undefined {
  const values = headersDistinct['idempotency-key'];
  if (values === undefined) return undefined;
  const [value = ''] = values.map((one) => one.trim());
  const key = QUOTED.test(value) ? value.slice(1, -1).replaceAll(/\\(.)/g, '$1') : value;
  const isKey = key === value ? BARE.test(value) : true;
  if (values.length === 1 && isKey && key !== '' && key.length <= KEY_CHARACTERS) return key;
  const rule = `must be one key of 1 to ${KEY_CHARACTERS} printable ASCII characters, in double quotes or without any`;
  throw new RequestError('ERROR_VALIDATION', `${NAME} ${rule}`, { details: { [NAME]: rule } });
}

/**
 * The request that the key stands for: its method, its path, and the bytes of its body, or what they are told by. A body
 * may have a password in it, which nobody can try out on the digest without the key, and the key is not kept.
 */
export function keyedRequest(key: string, action: string, content: Buffer | string): KeyedRequest {
  return {
    keyDigest: hash('sha256', key),
    requestDigest: createHmac('sha256', key).update(`${action}\n`).update(content).digest('hex'),
  };
}

/** Nothing is done, and a later attempt finds the answer; who sent the first waits about as long as one statement. */
export function underWay(): RequestError {
  return conflict('is of a request that is under way', { 'Retry-After': '1' });
}

export function usedOtherwise(): RequestError {
  return conflict('was used for another request');
}

function conflict(rule: string, headers: Readonly<Record<string, string>> = {}): RequestError {
  return new RequestError('ERROR_CONFLICT', `${NAME} ${rule}`, { details: { [NAME]: rule }, headers });
}
