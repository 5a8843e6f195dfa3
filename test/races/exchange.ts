import { ask } from '../support/http.ts';
import type { Answer } from '../support/http.ts';
import { expectDescribed } from '../support/described.ts';
import type { Lane } from './lane.ts';
import type { Operation } from './operation.ts';
import type { Claims, RaceTenant } from './people.ts';
import { answerOf } from './provider.ts';
import { STOPPED } from './witness.ts';

export interface Exchange {
  readonly operation: Operation;
  readonly claims: Claims;
  readonly answer: Answer;
  /** How the response differs from the OpenAPI description; undefined if it does not differ. */
  readonly difference?: string;
}

/**
 * Sends one of several simultaneous requests. With `stops`, the request waits before its first write until the other
 * requests have overtaken it.
 */
export async function exchange(
  { service, provider }: Lane,
  operation: Operation,
  tenant: RaceTenant,
  stops = false,
): Promise<Exchange> {
  const said = operation.claims(tenant);
  if (operation.delivery !== undefined) {
    const answer = await (operation.delivery === 'due' ? provider.deliver() : provider.settle());
    return { operation, claims: said, answer };
  }
  const claims = operation.isRenewed === true ? await provider.renewed(said) : said;
  // The identity provider answers 400 if it refuses to renew a token.
  if (claims === undefined) return { operation, claims: said, answer: answerOf(400) };
  const token = await service.identity.token({ ...claims });
  const question = operation.question?.(tenant) ?? {};
  const headers = { ...question.headers, ...(stops && { 'user-agent': STOPPED }) };
  const line = operation.line(tenant);
  const answer = await ask(service.port, line, {
    ...question,
    headers,
    ...(operation.isLogin === true ? { body: { token } } : { token }),
  });
  const difference = differenceOf(line, answer);
  return { operation, claims, answer, ...(difference !== undefined && { difference }) };
}

function differenceOf(line: string, answer: Answer): string | undefined {
  try {
    expectDescribed(line, answer);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
