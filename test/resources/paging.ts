import { expect } from '@jest/globals';
import type { Answer } from '../support/http.ts';
import type { Service } from '../support/service.ts';

/** Reads all pages of a list, beginning with the page at `path`, and returns their responses. */
export async function readPages(service: Pick<Service, 'ask'>, path: string, token: string): Promise<Answer[]> {
  const pages: Answer[] = [];
  for (let next: string | undefined = path; next !== undefined; ) {
    const page = await service.ask(`GET ${next}`, { token });
    expect([next, page.status]).toEqual([next, 200]);
    pages.push(page);
    next = /^<(.*)>; rel="next"$/.exec(String(page.headers['link'] ?? ''))?.[1];
  }
  return pages;
}
