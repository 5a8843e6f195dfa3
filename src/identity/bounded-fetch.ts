import type { CustomFetchOptions } from 'oauth4webapi';
import { boundedText } from './bounded-text.ts';

type Fetch = (
  url: string,
  options: CustomFetchOptions<string, URLSearchParams | undefined>,
) => Promise<Response>;

/** How `oauth4webapi` asks a provider: it follows no redirect, and takes no more than a bounded answer in a bounded time. */
export function boundedFetch({
  maxBytes,
  timeoutMs,
}: {
  readonly maxBytes: number;
  readonly timeoutMs: number;
}): Fetch {
  return async (url, { body, method, headers }) => {
    const response = await fetch(url, {
      ...{ method, headers, redirect: 'error', body: body ?? null },
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await boundedText(response, maxBytes, 'the answer');
    return new Response([204, 304].includes(response.status) ? null : text, {
      status: response.status,
      headers: response.headers,
    });
  };
}
