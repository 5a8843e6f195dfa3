import { setTimeout as delay } from 'node:timers/promises';
import type { Request, RequestHandler } from 'express';
import { LRUCache } from 'lru-cache';
import { errors, type Provider } from 'oidc-provider';
import { DatabaseUnavailable } from '../../db/errors.ts';
import { RequestError } from '../../errors.ts';
import { abortOnHangUp } from '../../http/hang-up.ts';
import { readRequestState } from '../../http/request-state.ts';
import {
  MAX_LOGIN_EMAIL_CHARACTERS,
  MAX_LOGIN_FAILURES,
  LOGIN_FAILURE_WINDOW_MS,
  MAX_COUNTED_LOGIN_PAIRS,
} from '../../limits.ts';
import { hashPasswordWithSalt, isHashable } from '../../identity/password.ts';
import { renderLoginPage, renderMessagePage } from './pages.ts';
import { sendPage } from './send-page.ts';
import type { LoginFailure, PageMessage } from './texts.ts';
import { findUser, type LoginDatabase } from './users.ts';

/** Matches bcrypt hashes with a cost of at most 14, because a higher cost would delay other logins. */
const AFFORDABLE_HASH_PATTERN = /^\$2[aby]\$(?:0\d|1[0-4])\$/;
/** The salt for a login with an unknown email, so that the answer takes as long as for a known email. */
const DUMMY_HASH = `$2b$12$${'.'.repeat(22)}`;

type LoginRefusal = LoginFailure & { readonly status: number };
const WRONG_CREDENTIALS: LoginRefusal = { error: 'credentials', status: 403 };
const BUSY_REFUSAL: LoginRefusal = { error: 'unavailable', status: 503, waitSeconds: 5 };

/** Returns a function that checks the email and the password of a login form, and counts failed attempts. */
function createLogin(database: LoginDatabase) {
  const failures = new LRUCache<string, number>({
    max: MAX_COUNTED_LOGIN_PAIRS,
    ttl: LOGIN_FAILURE_WINDOW_MS,
    noUpdateTTL: true,
  });

  /** Returns the account and the login time `ts` in seconds since the epoch, or a refusal. */
  return async (request: Request): Promise<LoginRefusal | { accountId: string; ts: number }> => {
    const { email, password } = readLoginForm(request);
    if (email === '' || email.length > MAX_LOGIN_EMAIL_CHARACTERS || email.includes('\0')) return WRONG_CREDENTIALS;
    const pair = `${readRequestState(request).ipAddress} ${email.toLowerCase()}`;
    const count = failures.get(pair) ?? 0;
    const waitSeconds = Math.ceil(failures.getRemainingTTL(pair) / 1_000);
    if (count >= MAX_LOGIN_FAILURES) return { error: 'attempts', status: 429, waitSeconds };
    // Counts the login attempt before the slow computation of the hash, so that simultaneous attempts count too.
    failures.set(pair, count + 1);
    const { passwordHash = '' } = (await findUser(database, 'email', email)) ?? {};
    const salt = (AFFORDABLE_HASH_PATTERN.test(passwordHash) ? passwordHash : DUMMY_HASH).slice(0, 29);
    // Hashes an empty text instead of a password that is too long, because bcrypt ignores the bytes after the 72nd.
    const hashable = isHashable(password) ? password : '';
    const hash = await abortOnHangUp(request, (signal) => hashPasswordWithSalt(hashable, salt, { signal }));
    // Reads the user again, because somebody may have changed the password during the hashing.
    const user = await findUser(database, 'email', email);
    if (user?.isActive !== true || user.passwordHash !== hash) return WRONG_CREDENTIALS;
    failures.delete(pair);
    // The API accepts a token only if the token's `ts` is at least one second later than the user's `endedAt`.
    const now = Date.now() / 1_000;
    const ts = Math.max(Math.floor(now), user.endedAt + 1);
    await delay(Math.max(0, Math.min((ts - now) * 1_000, 2_500)));
    return { accountId: user.subject, ts };
  };
}

export function createLoginHandler(provider: Provider, issuer: string, database: LoginDatabase): RequestHandler {
  const logIn = createLogin(database);
  return async (request, response) => {
    const sendMessage = (status: number, message: PageMessage): void => {
      sendPage(request, response, status, (language) => renderMessagePage(language, message));
    };
    const interaction = await provider.interactionDetails(request, response).catch((error: unknown) => {
      if (error instanceof errors.SessionNotFound) return undefined;
      throw error;
    });
    if (interaction === undefined || interaction.jti !== request.params['id']) {
      sendMessage(400, 'expired');
      return;
    }
    const { params, prompt } = interaction;
    const sendForm = (email: unknown, { status, ...failure }: LoginRefusal): void => {
      if (failure.waitSeconds !== undefined) response.setHeader('Retry-After', failure.waitSeconds);
      const form = {
        action: request.path,
        email: toTextOrEmpty(email).slice(0, MAX_LOGIN_EMAIL_CHARACTERS),
        client: params['client_id'],
      };
      sendPage(request, response, status, (language) => renderLoginPage(language, form, failure), params);
    };
    if (prompt.name === 'consent') {
      // Skips the consent prompt, even if an application asks for it, because users need not consent.
      await provider.interactionFinished(request, response, { consent: {} }, { mergeWithLastSubmission: true });
    } else if (request.method !== 'POST') {
      sendForm(params['login_hint'], { status: 200 });
    } else if ((request.headers.origin ?? issuer) !== issuer) {
      // Refuses a login form that a browser sent from a page of another origin.
      sendMessage(403, 'request');
    } else {
      const outcome = await logIn(request).catch((error: unknown) => {
        if (error instanceof RequestError || error instanceof DatabaseUnavailable) return BUSY_REFUSAL;
        throw error;
      });
      if ('status' in outcome) sendForm(readLoginForm(request).email, outcome);
      else await provider.interactionFinished(request, response, { login: { ...outcome, amr: ['pwd'] } });
    }
  };
}

function readLoginForm({ body }: Request): { readonly email: string; readonly password: string } {
  const { email, password } = (body ?? {}) as Readonly<Record<string, unknown>>;
  return { email: toTextOrEmpty(email).trim(), password: toTextOrEmpty(password) };
}

function toTextOrEmpty(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
