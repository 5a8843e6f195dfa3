import type { Question } from '../support/http.ts';
import { claimsOf } from './people.ts';
import type { Claims, Person, RaceTenant } from './people.ts';

/**
 * A request that a test sends at the same time as other requests. If it runs alone on a new tenant, it is valid and
 * succeeds.
 */
export interface Operation {
  readonly name: string;
  /** The method and the path of the endpoint, as in test/resources/access.ts. */
  readonly endpoint: string;
  claims(tenant: RaceTenant): Claims;
  line(tenant: RaceTenant): string;
  question?(tenant: RaceTenant): Question;
  /** True if the request writes nothing when its record already has the values that the request asks for. */
  readonly mayWriteNothing?: true;
  /** Rows that the request locks but does not write, for example `users:manager` for the user called manager. */
  readonly also?: readonly string[];
  /** Returns the client that the request adds to a user’s list of clients or removes from the list. */
  client?(tenant: RaceTenant): string;
  /**
   * True if the request sends the caller’s token in its body, as a login does. Other requests send the token in a
   * header.
   */
  readonly isLogin?: true;
  /**
   * Set if no request is sent, but the service itself sends users’ rights to the identity provider: with `due`, the
   * changes that are due; with `claimed`, those that this instance has already reserved for itself.
   */
  readonly delivery?: 'due' | 'claimed';
  /**
   * True if the identity provider renews the token before the request. The new token has the rights that the user has
   * at that moment.
   */
  readonly isRenewed?: true;
  /** True if the request has an If-Match header with the claim’s version from before all requests. */
  readonly isTagged?: true;
}

/** The properties by which a request differs from other requests to the same endpoint. */
export interface Variation extends Omit<Partial<Operation>, 'claims' | 'line' | 'question' | 'endpoint'> {
  readonly ids?: Readonly<Record<string, keyof RaceTenant>>;
  readonly body?: (tenant: RaceTenant) => object;
  readonly headers?: Question['headers'];
  readonly claims?: Operation['claims'];
}

/**
 * Creates a request that a test sends at the same time as others. `what` distinguishes it from requests to the same
 * endpoint.
 */
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
