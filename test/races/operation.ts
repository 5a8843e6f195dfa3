import type { Question } from '../support/http.ts';
import { claimsOf } from './people.ts';
import type { Claims, Person, RaceTenant } from './people.ts';

/**
 * A request for tests with simultaneous requests: it is valid and succeeds on a new tenant if no other request runs.
 */
export interface Operation {
  readonly name: string;
  /** The method and the path of the endpoint, as in test/resources/access.ts. */
  readonly endpoint: string;
  /** Returns the JWT claims of the request’s token. */
  claims(tenant: RaceTenant): Claims;
  line(tenant: RaceTenant): string;
  question?(tenant: RaceTenant): Question;
  /** True if the request writes nothing when its record already has the requested values. */
  readonly mayWriteNothing?: true;
  /** Rows that the request locks although it does not write them when it runs alone, for example `users:manager`. */
  readonly also?: readonly string[];
  /** Returns the client that the request adds to a user’s list of clients or removes from the list. */
  client?(tenant: RaceTenant): string;
  /** True if the request has the caller’s token in its body, as a login has, instead of a header. */
  readonly isLogin?: true;
  /**
   * Set if the service delivers users’ rights to the identity provider instead of answering a request: `due` delivers
   * the due changes, `claimed` those claimed before the race.
   */
  readonly delivery?: 'due' | 'claimed';
  /** True if the identity provider first renews the request’s token with the rights that are stored at that moment. */
  readonly isRenewed?: true;
  /** True if the request has an If-Match with the first version of the claim. */
  readonly isTagged?: true;
}

/** The properties of a request for a race, as test/races/variations.ts and identity-operations.ts write them. */
export interface Variation extends Omit<Partial<Operation>, 'claims' | 'line' | 'question' | 'endpoint'> {
  readonly ids?: Readonly<Record<string, keyof RaceTenant>>;
  readonly body?: (tenant: RaceTenant) => object;
  readonly headers?: Question['headers'];
  readonly claims?: Operation['claims'];
}

/** Creates a request for a race. `what` distinguishes requests to the same endpoint. */
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
