/** The part of oidc-provider that the tests use; the package has no types of its own. */
declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http';

  export interface ResourceServer {
    readonly audience: string;
    readonly scope: string;
    readonly accessTokenFormat: 'jwt' | 'opaque';
    readonly jwt?: { readonly sign: { readonly alg: string } };
  }

  /** A token before it is signed. */
  export interface Unsigned {
    header: Readonly<Record<string, unknown>> | undefined;
    payload: Readonly<Record<string, unknown>>;
  }

  export interface Configuration {
    readonly clients: readonly Readonly<Record<string, unknown>>[];
    readonly jwks: { readonly keys: readonly object[] };
    readonly features: Readonly<Record<string, unknown>>;
    readonly extraTokenClaims: (context: unknown, token: unknown) => Readonly<Record<string, unknown>>;
    readonly ttl: Readonly<Record<string, number>>;
    readonly routes?: Readonly<Record<string, string>>;
    readonly formats?: {
      readonly customizers: {
        readonly jwt: (context: unknown, token: unknown, unsigned: Unsigned) => void | Promise<void>;
      };
    };
  }

  export class Provider {
    constructor(issuer: string, configuration: Configuration);
    callback(): RequestListener;
  }
}
