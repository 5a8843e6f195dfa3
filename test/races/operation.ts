import type { Question } from '../support/http.ts';
import { claimsOf } from './people.ts';
import type { Claims, Person, RaceTenant } from './people.ts';

/** One correct request, which succeeds alone on any fresh tenant. */
export interface Operation {
  readonly name: string;
  /** As the list of endpoints has it. */
  readonly endpoint: string;
  /** Whose token it is, and what that says. */
  claims(tenant: RaceTenant): Claims;
  line(tenant: RaceTenant): string;
  question?(tenant: RaceTenant): Question;
  /** Writes nothing where that is so already. */
  readonly mayWriteNothing?: true;
  /** Rows that it holds although it writes none of them when it is alone, as `users:manager`. */
  readonly also?: readonly string[];
  /** The one client that it adds to a list or takes from it. */
  client?(tenant: RaceTenant): string;
  /** The token stands in the body. */
  readonly isLogin?: true;
  /** What goes on beside the API instead of a request: a delivery of what is due, or of what was claimed before. */
  readonly delivery?: 'due' | 'claimed';
  /** The token is one that the provider gives for the login of the token that is said, with the rights of that moment. */
  readonly isRenewed?: true;
  /** Says the version in which every claim begins. */
  readonly isTagged?: true;
}

/** How a variation is written: what it asks, and by whom. */
export interface Variation extends Omit<Partial<Operation>, 'claims' | 'line' | 'question' | 'endpoint'> {
  readonly ids?: Readonly<Record<string, keyof RaceTenant>>;
  readonly body?: (tenant: RaceTenant) => object;
  readonly headers?: Question['headers'];
  readonly claims?: Operation['claims'];
}

/** A request of somebody's to an endpoint, said after a comma where it is not the plain one. */
export function operation(
  endpoint: string,
  by: Person,
  what: string,
  { ids = {}, body, headers, ...more }: Variation = {},
): Operation {
  const [method = '', path = ''] = endpoint.split(' ');
  return {
    name: `${endpoint}, ${what} (${by})`,
    endpoint,
    claims: (tenant) => claimsOf(by, tenant),
    line: (tenant) =>
      `${method} ${path.replaceAll(/\{(\w+)\}/g, (_text, name: string) => tenant[ids[name] ?? 'clients'])}`,
    question: (tenant) => ({
      ...(body === undefined ? {} : { body: body(tenant) }),
      ...(headers === undefined ? {} : { headers }),
    }),
    ...more,
  };
}
