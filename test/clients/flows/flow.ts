/* What each client goes through, from the login to two refusals, and how it tells what it has seen. */

export const CLIENT = 'c1000000-0000-4000-8000-000000000001';
export const SITE = '51000000-0000-4000-8000-000000000001';
export const AVIS = 'Avis de taxe foncière';

/** What a flow has seen; undefined where an answer was not the one that the description promises. */
export interface FlowResult {
  readonly name: string | null | undefined;
  readonly claims: number;
  readonly pages: number;
  readonly total: number;
  readonly status: string | undefined;
  readonly filename: string | undefined;
  readonly content: string | undefined;
  readonly billed: number | undefined;
  /** The codes of a change of a version that is gone, and of a move that is not possible. */
  readonly refusals: readonly (string | undefined)[];
}

/** The cursor of the next page, from the Link of this one. */
export function nextCursor(headers: Headers): string | undefined {
  const next = /<([^>]*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
  return next === undefined ? undefined : (new URL(next, 'http://x').searchParams.get('after') ?? undefined);
}

/** Runs a flow against the service at the address, as the bearer of the token, both from the command line. */
export async function printResult(flow: (baseUrl: string, token: string) => Promise<FlowResult>): Promise<void> {
  const [baseUrl = '', token = ''] = process.argv.slice(2);
  console.log(JSON.stringify(await flow(baseUrl, token)));
}
