import type { CustomFetchOptions } from 'oauth4webapi';

type FetchOptions = CustomFetchOptions<string, URLSearchParams | undefined>;

export function createBoundedFetch(maxBytes: number, timeoutMs: number) {
  return async (url: string, { body, method, headers }: FetchOptions): Promise<Response> => {
    const response = await fetch(url, {
      ...{ method, headers, redirect: 'error', body: body ?? null },
      signal: AbortSignal.timeout(timeoutMs),
    });
    const responseText = await readBoundedText(response, maxBytes, 'the answer');
    return new Response([204, 304].includes(response.status) ? null : responseText, {
      status: response.status,
      headers: response.headers,
    });
  };
}

/** Reads a response body of at most `maxBytes`, counted after decompression. @throws Error when the body is larger */
export async function readBoundedText(response: Response, maxBytes: number, what: string): Promise<string> {
  const responseBody: AsyncIterable<Uint8Array> | null = response.body;
  const receivedChunks: Uint8Array[] = [];
  let receivedByteCount = 0;
  for await (const chunk of responseBody ?? []) {
    receivedByteCount += chunk.byteLength;
    if (receivedByteCount > maxBytes) throw new Error(`${what} is larger than ${maxBytes} bytes`);
    receivedChunks.push(chunk);
  }
  return Buffer.concat(receivedChunks).toString('utf8');
}
