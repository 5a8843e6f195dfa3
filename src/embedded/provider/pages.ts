import { html, Html } from './html.ts';
import type { Language } from './language.ts';
import { layout } from './layout.ts';
import { TEXTS, waitIn } from './texts.ts';
import type { LoginError, PageError, Texts } from './texts.ts';

/* The pages of the embedded provider, each a whole text of HTML: plain forms, which need no script. */

const AUTOFOCUS = html` autofocus`;

interface Login {
  readonly language: Language;
  /** Where the form is sent, as `email` and `password`. */
  readonly action: string;
  /** The name of the application that somebody is on the way to. */
  readonly client?: string | undefined;
  readonly error?: LoginError | undefined;
  /** After how many seconds to try again, where that is known to help. */
  readonly waitSeconds?: number | undefined;
  /** What was given before. */
  readonly email?: string | undefined;
}

export function loginPage({ language, action, client, error, waitSeconds = 0, email = '' }: Login): string {
  const { login, errorTitle } = TEXTS[language];
  const described = error === undefined ? undefined : html` aria-describedby="error"`;
  const state = error === 'credentials' ? html`${described} aria-invalid="true"` : described;
  // What is yet to be typed comes first.
  const [emailFocus, passwordFocus] = email === '' ? [AUTOFOCUS, undefined] : [undefined, AUTOFOCUS];
  return layout(
    language,
    error === undefined ? login.title : errorTitle(login.title),
    login.title,
    html`${client === undefined ? undefined : paragraph(login.to(client))}
      ${error === undefined
        ? undefined
        : html`<p id="error" class="error" role="alert">
            ${login.errors[error](waitIn(language, waitSeconds))}
          </p>`}
      <form method="post" action="${action}">
        <label for="email">${login.email}</label>
        <input
          id="email"
          name="email"
          value="${email}"
          inputmode="email"
          autocomplete="username"
          autocapitalize="none"
          spellcheck="false"
          required${state}${emailFocus}
        />
        <label for="password">${login.password}</label>
        <input
          id="password"
          name="password"
          type="password"
          autocomplete="current-password"
          required${state}${passwordFocus}
        />
        <button>${login.submit}</button>
      </form>`,
  );
}

interface Consent {
  readonly language: Language;
  /** Where the form is sent, with `decision` as `allow` or `refuse`. */
  readonly action: string;
  readonly client: string;
  readonly email: string;
  readonly scopes: readonly string[];
}

export function consentPage({ language, action, client, email, scopes }: Consent): string {
  const { consent } = TEXTS[language];
  const title = consent.title(client);
  return layout(
    language,
    title,
    title,
    html`${paragraph(consent.as(email))}
      <p id="asks">${consent.asks}</p>
      <ul aria-labelledby="asks">
        ${scopes.map((scope) => html`<li>${scopeName(scope, consent)}</li>`)}
      </ul>
      <form method="post" action="${action}">
        <button name="decision" value="allow">${consent.allow}</button>
        <button name="decision" value="refuse" class="quiet">${consent.refuse}</button>
      </form>`,
  );
}

interface Logout {
  readonly language: Language;
  readonly client?: string | undefined;
  /** The form that the provider made for its own check, whose id is `op.logoutForm`. */
  readonly form: string;
}

export function logoutPage({ language, client, form }: Logout): string {
  const { logout } = TEXTS[language];
  return layout(
    language,
    logout.title,
    logout.title,
    html`${paragraph(logout.text(client))} ${new Html(form)}
      <div class="buttons">
        <button form="op.logoutForm" name="logout" value="yes">${logout.yes}</button>
        <button form="op.logoutForm" class="quiet">${logout.no}</button>
      </div>`,
  );
}

interface LoggedOut {
  readonly language: Language;
  /** The application that was left, and where it is; without it there is no way back to show. */
  readonly client?: { readonly name: string; readonly url: string } | undefined;
}

export function logoutDonePage({ language, client }: LoggedOut): string {
  const { title, text, back } = TEXTS[language].loggedOut;
  return layout(
    language,
    title,
    title,
    client === undefined ? paragraph(text) : html`<p><a href="${client.url}">${back(client.name)}</a></p>`,
  );
}

interface Failure {
  readonly language: Language;
  readonly error: PageError;
  /** What the provider says of it, for whoever runs the application: in English, as the protocol has it. */
  readonly details?: readonly string[] | undefined;
}

export function errorPage({ language, error, details = [] }: Failure): string {
  const texts = TEXTS[language];
  const { title, text } = texts.errors[error];
  return layout(
    language,
    title,
    title,
    html`${paragraph(text)}${details.length === 0 ? undefined : detailsOf(details, texts)}`,
  );
}

function detailsOf(details: readonly string[], texts: Texts): Html {
  return html` <h2>${texts.details}</h2>
    <ul lang="en">
      ${details.map((detail) => html`<li><code>${detail}</code></li>`)}
    </ul>`;
}

function scopeName(scope: string, { scopes }: Texts['consent']): Html {
  const known = Object.entries(scopes).find(([name]) => name === scope)?.[1];
  return known === undefined ? html`<code>${scope}</code>` : html`${known}`;
}

function paragraph(text: string): Html {
  return html`<p>${text}</p>`;
}
