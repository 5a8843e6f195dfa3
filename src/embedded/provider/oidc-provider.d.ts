/** The part of oidc-provider that is used here and in tests; the package has no types of its own. */
declare module 'oidc-provider' {
  import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

  export interface ResourceServer {
    readonly audience: string;
    readonly scope: string;
    readonly accessTokenTTL?: number;
    readonly accessTokenFormat: 'jwt' | 'opaque';
    readonly jwt?: { readonly sign: { readonly alg: string; readonly kid?: string } };
  }

  export type Payload = Readonly<Record<string, unknown>>;

  export interface Adapter {
    upsert(id: string, payload: Payload, expiresIn: number): Promise<void>;
    find(id: string): Promise<Payload | undefined>;
    findByUid(uid: string): Promise<Payload | undefined>;
    findByUserCode(userCode: string): Promise<undefined>;
    consume(id: string): Promise<void>;
    destroy(id: string): Promise<void>;
    revokeByGrantId(grantId: string): Promise<void>;
  }

  export interface Account {
    readonly accountId: string;
    claims(): Promise<Readonly<Record<string, unknown>>>;
  }

  export interface Login {
    readonly accountId?: string;
    readonly authTime?: number;
    readonly iat?: number;
    readonly exp?: number;
    readonly scopes: ReadonlySet<string>;
  }

  export interface Client {
    readonly clientId: string;
    readonly clientName?: string;
  }

  export interface Session extends Partial<Login> {
    readonly loginTs?: number;
    grantIdFor(clientId: string): string | undefined;
  }

  /** Of Koa's, what is used. */
  export interface Context {
    readonly req: IncomingMessage;
    readonly res: ServerResponse;
    body: string;
    type: string;
    status: number;
    set(name: string, value: string): void;
    readonly oidc: {
      readonly provider: Provider;
      readonly client?: Client;
      readonly session?: Session;
      readonly params?: Readonly<Record<string, string | undefined>>;
      readonly entities: Readonly<Partial<Record<'AuthorizationCode' | 'RefreshToken', Login>>>;
      readonly result?: { readonly consent?: { readonly grantId?: string } };
    };
  }

  export interface Interaction {
    readonly jti: string;
    readonly prompt: { readonly name: string };
    readonly params: Readonly<Record<string, string | undefined>>;
    readonly session?: { readonly accountId: string };
  }

  export interface Grant {
    addOIDCScope(scope: string): void;
    addResourceScope(resource: string, scope: string): void;
    save(): Promise<string>;
  }

  /** A token before it is signed. */
  export interface Unsigned {
    header: Readonly<Record<string, unknown>> | undefined;
    payload: Readonly<Record<string, unknown>>;
  }

  export type Configuration = Readonly<Record<string, unknown>>;

  export class Provider {
    constructor(issuer: string, configuration: Configuration);
    proxy: boolean;
    readonly Grant: {
      new (properties: { readonly clientId: string; readonly accountId: string }): Grant;
      find(id: string): Promise<Grant | undefined>;
    };
    readonly Client: {
      find(id: string): Promise<Client | undefined>;
      readonly prototype: {
        redirectUriAllowed(this: Client, uri: string): boolean;
        postLogoutRedirectUriAllowed(this: Client, uri: string): boolean;
      };
    };
    use(
      middleware: (
        context: { readonly response: { readonly body?: { scope?: string } | null } },
        next: () => Promise<void>,
      ) => Promise<void>,
    ): void;
    callback(): RequestListener;
    on(event: 'server_error', heard: (context: Context, error: Error) => void): void;
    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>;
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: Readonly<Record<string, unknown>>,
      options: { readonly mergeWithLastSubmission: boolean },
    ): Promise<void>;
  }

  type Described = new (description?: string) => Error;
  export const errors: Readonly<
    Record<
      'AccessDenied' | 'InvalidGrant' | 'InvalidRequest' | 'SessionNotFound' | 'TemporarilyUnavailable',
      Described
    >
  >;
}
