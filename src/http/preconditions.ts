import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { RequestError } from '../errors.ts';
import type { Reply } from './endpoint.ts';

/* Conditional requests: RFC 9110, section 13. */

const TAG = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/;
const LIST = new RegExp(`^(?:\\*|${TAG.source}(?:\\s*,\\s*${TAG.source})*)$`);

/**
 * The ETags of `If-Match`; null without the header, or for `*`. Weak ETags count: ours identify versions and not bytes,
 * and a proxy that compresses an answer weakens its ETag. An ETag of an answer with expansions has the record's own
 * before the dot. @throws RequestError ERROR_VALIDATION
 */
export function ifMatchOf({ headers }: IncomingMessage): readonly string[] | null {
  const tags = tagsOf('If-Match', headers['if-match']);
  return tags === undefined || tags === '*' ? null : tags.map((tag) => strong(tag).replace(/\..*"$/, '"'));
}

/** True where `If-None-Match` has the present ETag; compares weakly. */
export function isNotModified({ headers }: IncomingMessage, tag: string | null | undefined): boolean {
  if (tag == null) return false;
  const tags = tagsOf('If-None-Match', headers['if-none-match']);
  if (tags === undefined) return false;
  return tags === '*' || tags.some((one) => strong(one) === strong(tag));
}

/** Answers 304 where the caller has this version. */
export function unlessKnown(incoming: IncomingMessage, reply: Reply): Reply {
  return isNotModified(incoming, reply.headers?.['ETag'])
    ? { status: 304, headers: reply.headers ?? {} }
    : reply;
}

/** A weak ETag, since the answer may be compressed. */
export function tagOfText(text: string): string {
  return `W/"${hash('sha256', text, 'base64url')}"`;
}

function strong(tag: string): string {
  return tag.replace(/^W\//, '');
}

function tagsOf(name: string, value: string | undefined): readonly string[] | '*' | undefined {
  if (value === undefined) return undefined;
  const text = value.trim();
  if (!LIST.test(text)) {
    const rule = 'must be * or a list of entity tags in double quotes';
    throw new RequestError('ERROR_VALIDATION', `${name} ${rule}`, { details: { [name]: rule } });
  }
  return text === '*' ? '*' : (text.match(new RegExp(TAG, 'g')) ?? []);
}
