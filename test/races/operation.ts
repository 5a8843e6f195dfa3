import type { Question } from '../support/http.ts';
import { claimsOf } from './people.ts';
import type { Claims, Person, RaceTenant } from './people.ts';

/** A valid request, which succeeds on a new tenant if no other request runs. */
export interface Operation {
  readonly name: string;
  /** Method and path, as in test/resources/access.ts. */
  readonly endpoint: string;
  /** The claims of the token. */
  claims(tenant: RaceTenant): Claims;
  line(tenant: RaceTenant): string;
  question?(tenant: RaceTenant): Question;
  /** True if the request writes nothing when the record is already as requested. */
  readonly mayWriteNothing?: true;
  /** Rows that the operation locks although it does not write them when it runs alone, as `users:manager`. */
  readonly also?: readonly string[];
  /** The client that the operation adds to a user’s list or removes from it. */
  client?(tenant: RaceTenant): string;
  /** True if the request has the token in its body. */
  readonly isLogin?: true;
  /** A delivery to the provider instead of a request: of the changes that are due, or of those claimed before the race. */
  readonly delivery?: 'due' | 'claimed';
  /** True if the provider renews the token of `claims` first, with the rights that are then stored. */
  readonly isRenewed?: true;
  /** True if the request names the first version of the claim. */
  readonly isTagged?: true;
}

/** The parts of an operation, as variations.ts and identity-operations.ts write them. */
export interface Variation extends Omit<Partial<Operation>, 'claims' | 'line' | 'question' | 'endpoint'> {
  readonly ids?: Readonly<Record<string, keyof RaceTenant>>;
  readonly body?: (tenant: RaceTenant) => object;
  readonly headers?: Question['headers'];
  readonly claims?: Operation['claims'];
}

/** Creates an operation. `what` distinguishes the operations of one endpoint by name. */
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
