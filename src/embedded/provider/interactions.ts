import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { errors } from 'oidc-provider';
import type { Interaction, Provider } from 'oidc-provider';
import { DatabaseUnavailable, RightMissing } from '../../db/errors.ts';
import { RequestError } from '../../errors.ts';
import { whileThere } from '../../http/hang-up.ts';
import type { RequestState } from '../../http/request-state.ts';
import { hashWithSalt, isHashable } from '../../identity/password.ts';
import type { Accounts } from './accounts.ts';
import { bodyText, FORM_BYTES } from './form.ts';
import { consentPage, errorPage, loginPage } from './pages.ts';
import type { Language } from './language.ts';
import { sendPage } from './send-page.ts';
import { clientIn } from './texts.ts';
import type { LoginError, PageError } from './texts.ts';

const PATH = /^\/interaction\/[\w-]{43}$/;
const LONGEST_EMAIL = 255;
/** Fewer than may wait for a hash: a flood of logins leaves room for those who change their password. */
const MOST_AT_ONCE = 12;
let underWay = 0;

/** Why a login did not succeed, and what the browser is told. */
interface Refused {
  readonly error: LoginError;
  readonly status: number;
  readonly waitSeconds?: number;
}

const WRONG: Refused = { error: 'credentials', status: 403 };
const BUSY: Refused = { error: 'unavailable', status: 503, waitSeconds: 5 };

/** Where a browser logs in. The id of the interaction is a secret of the browser's cookie, and not in this address. */
export function interactionPath(uid: string): string {
  return `/interaction/${createHash('sha256').update(uid).digest('base64url')}`;
}

export function isInteraction(path: string): boolean {
  return PATH.test(path);
}

export interface InteractionOptions {
  readonly provider: Provider;
  readonly issuer: string;
  readonly accounts: Accounts;
}

/** The pages between a request to log in and its end. */
export async function answerInteraction(
  { provider, issuer, accounts }: InteractionOptions,
  request: IncomingMessage,
  response: ServerResponse,
  state: RequestState,
): Promise<void> {
  const { method, url = '' } = request;
  const [path = ''] = url.split('?');
  const fail = (status: number, error: PageError): void => {
    sendPage(request, response, status, (language) => errorPage({ language, error }));
  };
  if (method !== 'GET' && method !== 'HEAD' && method !== 'POST') {
    fail(405, 'missing');
    return;
  }
  const interaction = await provider.interactionDetails(request, response).catch((error: unknown) => {
    if (error instanceof errors.SessionNotFound) return undefined;
    throw error;
  });
  if (interaction === undefined || interactionPath(interaction.jti) !== path) {
    fail(400, 'expired');
    return;
  }
  const steps = { login, consent } as const;
  const step = steps[interaction.prompt.name as keyof typeof steps] as typeof login | undefined;
  if (step === undefined) {
    fail(400, 'request');
    return;
  }
  // The cookie of the interaction comes with no request of another site; a browser says of each form where it stood.
  const { origin = issuer } = request.headers;
  if (method === 'POST' && origin !== issuer) {
    fail(403, 'request');
    return;
  }
  await step();

  async function login(): Promise<void> {
    const { client_id: id, redirect_uri: leadsTo, ui_locales: locales } = interaction?.params ?? {};
    const show = (email: string, refused?: Refused): void => {
      const { error, waitSeconds } = refused ?? {};
      const headers: Record<string, string> =
        waitSeconds === undefined ? {} : { 'Retry-After': String(waitSeconds) };
      sendPage(
        request,
        response,
        refused?.status ?? 200,
        (language) =>
          loginPage({ language, action: path, client: clientIn(language, id), error, waitSeconds, email }),
        { leadsTo, locales, headers },
      );
    };
    if (method !== 'POST') {
      show((interaction?.params['login_hint'] ?? '').slice(0, LONGEST_EMAIL));
      return;
    }
    const form = new URLSearchParams(
      await bodyText(request, 'application/x-www-form-urlencoded', FORM_BYTES),
    );
    const email = (form.get('email') ?? '').trim();
    const outcome = await loggedIn(accounts, email, form.get('password') ?? '', { request, state });
    if ('error' in outcome) {
      show(email.slice(0, LONGEST_EMAIL), outcome);
      return;
    }
    const { account, loggedInAt } = outcome;
    await provider.interactionFinished(
      request,
      response,
      { login: { accountId: account, ts: loggedInAt, amr: ['pwd'] } },
      { mergeWithLastSubmission: false },
    );
  }

  /** Only where a program asks for it; what is granted is the same. */
  async function consent(): Promise<void> {
    const { params, session } = interaction as Interaction;
    if (method !== 'POST') {
      const email = (await accounts.find(session?.accountId ?? ''))?.email ?? '';
      const scopes = (params['scope'] ?? '').split(' ').filter((scope) => scope !== '');
      const { client_id: id, redirect_uri: leadsTo, ui_locales: locales } = params;
      const page = (language: Language): string =>
        consentPage({ language, action: path, client: clientIn(language, id) ?? '', email, scopes });
      sendPage(request, response, 200, page, { leadsTo, locales });
      return;
    }
    const form = new URLSearchParams(
      await bodyText(request, 'application/x-www-form-urlencoded', FORM_BYTES),
    );
    const result =
      form.get('decision') === 'allow'
        ? { consent: {} }
        : { error: 'access_denied', error_description: 'the user refused' };
    await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: true });
  }
}

/** One hash is worked out for each attempt that is not refused for their number, whoever has the address. */
async function loggedIn(
  accounts: Accounts,
  email: string,
  password: string,
  { request, state }: { readonly request: IncomingMessage; readonly state: RequestState },
): Promise<Refused | { readonly account: string; readonly loggedInAt: number }> {
  if (email === '' || email.length > LONGEST_EMAIL || email.includes('\0') || !email.isWellFormed())
    return WRONG;
  // Before it is counted: whoever is turned away has tried nothing.
  if (underWay >= MOST_AT_ONCE) return BUSY;
  const { ipAddress, userAgent, requestId } = state;
  const attempt = { email, ipAddress, userAgent, requestId };
  underWay += 1;
  try {
    const begun = await accounts.begin(attempt);
    if ('waitSeconds' in begun) return { error: 'attempts', status: 429, waitSeconds: begun.waitSeconds };
    // Nobody's password is longer than bcrypt looks at, and nobody's is empty.
    const hash = await whileThere(request, (signal) =>
      hashWithSalt(isHashable(password) ? password : '', begun.salt, { signal }),
    );
    const done = await accounts.finish(attempt, hash);
    if (done === undefined) return WRONG;
    const { account, loggedInAt, nowAt } = done;
    // A token tells seconds alone: one of the second in which the logins before this one ended would be refused.
    await delay(Math.max(0, Math.min((loggedInAt - nowAt) * 1000, 2_500)));
    return { account, loggedInAt };
  } catch (error) {
    if ([RequestError, DatabaseUnavailable, RightMissing].some((kind) => error instanceof kind)) return BUSY;
    throw error;
  } finally {
    underWay -= 1;
  }
}
