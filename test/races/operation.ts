import type { Question } from '../support/http.ts';
import { claimsOf } from './people.ts';
import type { Claims, Person, RaceTenant } from './people.ts';

/** An operation of races: a valid request that succeeds on a new tenant if no other request runs. */
export interface Operation {
  readonly name: string;
  /** The method and the path of the endpoint, as in test/resources/access.ts. */
  readonly endpoint: string;
  /** Returns the claims of the request’s token. */
  claims(tenant: RaceTenant): Claims;
  line(tenant: RaceTenant): string;
  question?(tenant: RaceTenant): Question;
  /** True if the request writes nothing when the record already has the requested values. */
  readonly mayWriteNothing?: true;
  /** Rows that the operation locks although it does not write them when it runs alone, for example `users:manager`. */
  readonly also?: readonly string[];
  /** Returns the client that the operation adds to a user’s list of clients or removes from it. */
  client?(tenant: RaceTenant): string;
  /** True if the request has the token in its body instead of a header. */
  readonly isLogin?: true;
  /**
   * Set if the operation is a delivery of rights to the provider: of the changes that are due, or of those claimed
   * before the race.
   */
  readonly delivery?: 'due' | 'claimed';
  /** True if the identity provider first renews the token with the rights that are stored at that moment. */
  readonly isRenewed?: true;
  /** True if the request has an If-Match with the first version of the claim. */
  readonly isTagged?: true;
}

/** The parts of an operation, as test/races/variations.ts and identity-operations.ts write them. */
export interface Variation extends Omit<Partial<Operation>, 'claims' | 'line' | 'question' | 'endpoint'> {
  readonly ids?: Readonly<Record<string, keyof RaceTenant>>;
  readonly body?: (tenant: RaceTenant) => object;
  readonly headers?: Question['headers'];
  readonly claims?: Operation['claims'];
}

/** Creates an operation of races. `what` distinguishes operations of the same endpoint. */
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
