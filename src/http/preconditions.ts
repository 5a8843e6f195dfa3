import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { RequestError } from '../errors.ts';
import type { Reply } from './endpoint.ts';

/* Conditional requests: RFC 9110, section 13. */

const TAG = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/;
const LIST = new RegExp(`^(?:\\*|${TAG.source}(?:\\s*,\\s*${TAG.source})*)$`);

/**
 * The entity tags of `If-Match`; null where there is none, or `*`. A tag counts in its weak form too: ours tell versions
 * of a record apart and not its bytes, and a proxy that compresses an answer weakens the tag that it passes on. Of the
 * tag of an answer with expansions what stands before the dot counts: it is the record's own.
 * @throws RequestError ERROR_VALIDATION
 */
export function ifMatchOf({ headers }: IncomingMessage): readonly string[] | null {
  const tags = tagsOf('If-Match', headers['if-match']);
  return tags === undefined || tags === '*' ? null : tags.map((tag) => strong(tag).replace(/\..*"$/, '"'));
}

/** True where `If-None-Match` has the tag of the present version; compared weakly. */
export function isNotModified({ headers }: IncomingMessage, tag: string | null | undefined): boolean {
  if (tag == null) return false;
  const tags = tagsOf('If-None-Match', headers['if-none-match']);
  if (tags === undefined) return false;
  return tags === '*' || tags.some((one) => strong(one) === strong(tag));
}

/** 304 for whoever has that version already. */
export function unlessKnown(incoming: IncomingMessage, reply: Reply): Reply {
  return isNotModified(incoming, reply.headers?.['ETag'])
    ? { status: 304, headers: reply.headers ?? {} }
    : reply;
}

/** A weak tag for what says the same: weak, since it may be sent packed. */
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
