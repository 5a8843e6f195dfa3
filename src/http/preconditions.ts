import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { validationError } from '../errors.ts';
import { rule } from '../problems.ts';
import type { EndpointReply } from './envelope.ts';

/* Conditional requests follow RFC 9110, section 13. */

const ETAG_PATTERN = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/;
const ETAG_LIST_PATTERN = new RegExp(`^(?:\\*|${ETAG_PATTERN.source}(?:\\s*,\\s*${ETAG_PATTERN.source})*)$`);

/** What Apache (`"tag-gzip"`, `"tag;gzip"`), Jetty (`"tag--gzip"`) and others write into a tag when they compress. */
const COMPRESSION_SUFFIX_PATTERN = /(?:--?|;)(?:gzip|br|deflate|zstd|df)"$/;

/**
 * Takes the ETag of a response that a proxy has compressed as the service's own: such a proxy makes the ETag weak or
 * adds a suffix. Removes the digest that the parameter `expand` adds to an ETag after a dot. @throws RequestError
 */
export function readIfMatchEtags({ headers }: IncomingMessage): readonly string[] | null {
  const tags = parseEtags('If-Match', headers['if-match']);
  if (tags === undefined || tags === '*') return null;
  return tags.map((tag) => toOwnEtag(tag).replace(/\..*"$/, '"'));
}

/** A caller that sends If-Match relies on the comparison. @throws RequestError */
export function refuseIfMatch({ headers }: IncomingMessage): void {
  if (headers['if-match'] !== undefined) throw validationError('If-Match', rule('not_versioned'));
}

export function isNotModified({ headers }: IncomingMessage, tag: string | null | undefined): boolean {
  if (tag == null) return false;
  const tags = parseEtags('If-None-Match', headers['if-none-match']);
  if (tags === undefined) return false;
  return tags === '*' || tags.some((one) => toOwnEtag(one) === toOwnEtag(tag));
}

export function replyUnlessNotModified(incoming: IncomingMessage, reply: EndpointReply): EndpointReply {
  return isNotModified(incoming, reply.headers?.['ETag']) ? { status: 304, headers: reply.headers ?? {} } : reply;
}

export function createWeakEtag(text: string): string {
  return `W/"${hash('sha256', text, 'base64url')}"`;
}

function toOwnEtag(tag: string): string {
  return tag.replace(/^W\//, '').replace(COMPRESSION_SUFFIX_PATTERN, '"');
}

function parseEtags(name: string, value: string | undefined): readonly string[] | '*' | undefined {
  if (value === undefined) return undefined;
  const text = value.trim();
  if (!ETAG_LIST_PATTERN.test(text)) throw validationError(name, rule('not_entity_tags'));
  return text === '*' ? '*' : (text.match(new RegExp(ETAG_PATTERN, 'g')) ?? []);
}
