import type { IncomingMessage } from 'node:http';
import { RequestError } from '../errors.ts';

/* Conditional requests: RFC 9110, section 13. */

const TAG = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/;
const LIST = new RegExp(`^(?:\\*|${TAG.source}(?:\\s*,\\s*${TAG.source})*)$`);

/**
 * The strong entity tags of `If-Match`, of which a weak one never matches; null where there is none, or `*`.
 * @throws RequestError ERROR_VALIDATION
 */
export function ifMatchOf({ headers }: IncomingMessage): readonly string[] | null {
  const tags = tagsOf('If-Match', headers['if-match']);
  return tags === undefined || tags === '*' ? null : tags.filter((tag) => !tag.startsWith('W/'));
}

/** True where `If-None-Match` has the tag of the present version; compared weakly. */
export function isNotModified({ headers }: IncomingMessage, tag: string | null | undefined): boolean {
  if (tag == null) return false;
  const tags = tagsOf('If-None-Match', headers['if-none-match']);
  if (tags === undefined) return false;
  return tags === '*' || tags.some((one) => one.replace(/^W\//, '') === tag);
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
