import { parse } from 'node:querystring';
import type { ParsedUrlQuery } from 'node:querystring';
import { RequestError } from '../errors.ts';

/**
 * The parameters of a query. Express's own parser leaves out what comes after a thousand of them, and takes a malformed
 * escape for text: either would pass off a query as right.
 * @throws RequestError ERROR_VALIDATION for a malformed escape, or one that is no UTF-8
 */
export function parametersOf(query: string | null): ParsedUrlQuery {
  const text = query ?? '';
  try {
    decodeURIComponent(text);
  } catch (cause) {
    throw new RequestError('ERROR_VALIDATION', 'a malformed escape in the query', {
      cause,
      details: { query: 'must be percent-encoded UTF-8' },
    });
  }
  return parse(text, '&', '=', { maxKeys: 0 });
}
