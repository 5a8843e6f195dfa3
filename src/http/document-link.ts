import type { Request, Response } from 'express';
import type { Database } from '../db/database.ts';
import { findLinkAuthor } from '../db/document-links.ts';
import type { Caller } from '../identity/caller.ts';
import { createBadTokenError } from '../identity/claims.ts';
import { readRequestState } from './request-state.ts';

export type LinkedCallerLookup = ReturnType<typeof createLinkedCallerLookup>;

const CONTENT_REQUEST_PATTERN =
  /^(?:GET|HEAD) \/api\/documents\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/content$/i;

/**
 * Finds the caller of a request that has a document link's secret in its address, but no token. The secret in an
 * address gives access to one document's content only.
 */
export function createLinkedCallerLookup(database: Database, origins: readonly string[]) {
  const headers = new Map([
    ['Content-Security-Policy', `sandbox; default-src 'none'; frame-ancestors ${["'self'", ...origins].join(' ')}`],
    ['Cross-Origin-Resource-Policy', origins.length === 0 ? 'same-origin' : 'cross-origin'],
    ['Cache-Control', 'private, no-store'],
  ]);
  return (request: Request, response: Response): Promise<Caller> | undefined => {
    const id = CONTENT_REQUEST_PATTERN.exec(`${request.method} ${request.path}`)?.[1];
    if (id === undefined || 'authorization' in request.headers) return undefined;
    // A request with no `link` parameter or with several is answered as a request without a token (401).
    const [link, ...others] = new URLSearchParams(request.url.slice(request.url.indexOf('?') + 1)).getAll('link');
    if (link === undefined || others.length > 0) return undefined;
    return findLinkAuthor(database, id, link).then((author) => {
      if (author === undefined) throw createBadTokenError('the link of the document is over, or was never made');
      readRequestState(request).isLinked = true;
      response.removeHeader('X-Frame-Options');
      response.setHeaders(headers);
      return author;
    });
  };
}
