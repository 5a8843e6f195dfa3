import { createHash, randomBytes } from 'node:crypto';

/** The response of an identity provider’s token endpoint. */
export interface Tokens {
  readonly access_token: string;
  readonly id_token: string;
  readonly refresh_token: string;
  readonly expires_in: number;
}

export interface Page {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** The part of a browser that a login needs: cookies with paths, and redirects within the identity provider. */
export interface Browser {
  readonly issuer: string;
  readonly cookies: ReadonlyMap<string, { readonly value: string; readonly path: string }>;
  /** Sends one request of the test’s browser and returns the response, even if the response is a redirect. */
  ask(url: string, init?: RequestInit): Promise<Page>;
  /**
   * Follows redirects until they reach a page of the identity provider or an outside address. An outside address is
   * returned in the field `left`.
   */
  open(url: string, init?: RequestInit): Promise<Page & { readonly left: string | undefined; readonly at: string }>;
}

export function openBrowser(issuer: string): Browser {
  const cookies = new Map<string, { value: string; path: string }>();

  async function ask(url: string, init: RequestInit = {}): Promise<Page> {
    const { pathname } = new URL(url);
    const sent = [...cookies]
      .filter(([, { path }]) => pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`))
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ');
    const headers = { accept: 'text/html', ...(init.headers as Record<string, string>), cookie: sent };
    const answer = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const line of answer.headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split(/;\s*/);
      const [name = '', value = ''] = pair.split('=');
      const path = attributes.find((one) => /^path=/i.test(one))?.slice(5) ?? '/';
      if (value === '') cookies.delete(name);
      else cookies.set(name, { value, path });
    }
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  }

  async function open(url: string, init?: RequestInit) {
    let at = url;
    let page = await ask(at, init);
    while (page.status === 302 || page.status === 303) {
      at = new URL(page.headers.get('location') ?? '', at).href;
      if (!at.startsWith(`${issuer}/`)) return { ...page, left: at, at };
      page = await ask(at);
    }
    return { ...page, left: undefined, at };
  }

  return { issuer, cookies, ask, open };
}

export function form(fields: Readonly<Record<string, string>>, headers: Readonly<Record<string, string>> = {}) {
  return {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(fields).toString(),
  };
}

interface Flow {
  readonly client?: string;
  readonly redirectUri?: string;
  readonly parameters?: Readonly<Record<string, string>>;
  /** The IP address of the client that the test’s login sends in X-Forwarded-For. */
  readonly from?: string;
}

export const REDIRECT = 'http://localhost:5173/';
export const FRONTEND = 'taxclaims-frontend';

/** An open login page of an identity provider, and the values with which a test completes the login. */
interface Begun {
  readonly browser: Browser;
  readonly verifier: string;
  readonly redirectUri: string;
  readonly client: string;
  readonly page: Page & { readonly left: string | undefined; readonly at: string };
  /** The URL to which a browser would send the form of the provider’s login page. */
  readonly action: string;
  submit(email: string, password: string, headers?: Record<string, string>): ReturnType<Browser['open']>;
}

/** Opens the login page as a client of the identity provider does. */
export async function beginLogin(browser: Browser, flow: Flow = {}): Promise<Begun> {
  const { client = FRONTEND, redirectUri = REDIRECT, parameters } = flow;
  const verifier = randomBytes(32).toString('base64url');
  const query = new URLSearchParams({
    ...{ client_id: client, redirect_uri: redirectUri, response_type: 'code', scope: 'openid profile email' },
    ...{ state: 'the-state', code_challenge_method: 'S256' },
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    ...parameters,
  });
  const page = await browser.open(`${browser.issuer}/auth?${query.toString()}`);
  const action = new URL(/action="([^"]+)"/.exec(page.text)?.[1] ?? '', page.at).href;
  return {
    ...{ browser, verifier, redirectUri, client, page, action },
    submit: (email, password, headers) => browser.open(action, form({ email, password }, headers)),
  };
}

/** Sends the given form fields to the identity provider’s token endpoint. */
export async function askTokens(
  issuer: string,
  fields: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<{
  readonly status: number;
  readonly body: Tokens & { readonly error?: string };
  readonly headers: Headers;
}> {
  const answer = await fetch(`${issuer}/token`, form(fields, headers));
  return { status: answer.status, body: (await answer.json()) as Tokens, headers: answer.headers };
}

/**
 * Returns the form fields with which a program exchanges an authorization code for tokens. The code is in the address
 * `left`, to which the provider sent the browser.
 */
export function exchange({ client, redirectUri, verifier }: Begun, left: string | undefined): Record<string, string> {
  const code = new URL(left ?? 'http://nowhere').searchParams.get('code') ?? '';
  return {
    ...{ grant_type: 'authorization_code', client_id: client, redirect_uri: redirectUri },
    ...{ code, code_verifier: verifier },
  };
}

/** Logs a user in at the identity provider with a new browser, and returns the tokens. */
export async function logIn(
  issuer: string,
  email: string,
  password: string,
  flow: Flow = {},
): Promise<Tokens & { readonly browser: Browser }> {
  const browser = openBrowser(issuer);
  const begun = await beginLogin(browser, flow);
  const proxied = flow.from === undefined ? {} : { 'x-forwarded-for': flow.from };
  const { left, status, text } = await begun.submit(email, password, proxied);
  if (left === undefined) throw new Error(`the login was answered ${status}: ${text}`);
  const { status: given, body } = await askTokens(issuer, exchange(begun, left));
  if (given !== 200) throw new Error(`the authorization code was answered ${given}: ${JSON.stringify(body)}`);
  return { ...body, browser };
}

export function refresh(issuer: string, token: string, client = FRONTEND): ReturnType<typeof askTokens> {
  return askTokens(issuer, { grant_type: 'refresh_token', client_id: client, refresh_token: token });
}
