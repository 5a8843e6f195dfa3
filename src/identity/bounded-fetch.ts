import type { CustomFetchOptions } from 'oauth4webapi';

type FetchOptions = CustomFetchOptions<string, URLSearchParams | undefined>;

export function createBoundedFetch(maxBytes: number, timeoutMs: number) {
  return async (url: string, { body, method, headers }: FetchOptions): Promise<Response> => {
    const response = await fetch(url, {
      method,
      headers,
      redirect: 'error',
      body: body ?? null,
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await readBoundedText(response, maxBytes, 'the answer');
    return new Response([204, 304].includes(response.status) ? null : text, {
      status: response.status,
      headers: response.headers,
    });
  };
}

/** Reads a response body of at most `maxBytes`, counted after decompression. @throws Error when the body is larger */
export async function readBoundedText(response: Response, maxBytes: number, what: string): Promise<string> {
  const body: AsyncIterable<Uint8Array> | null = response.body;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes) throw new Error(`${what} is larger than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
