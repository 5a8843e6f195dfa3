import escapeHtml from 'escape-html';
import {
  findClientDisplayName,
  PAGE_TEXTS_BY_LANGUAGE,
  formatWaitTime,
  type LoginFailure,
  type Language,
  type PageMessage,
} from './texts.ts';

export const STYLESHEET_PATH = '/identity.css';

/** HTML that is already escaped; the template tag `html` escapes every other text. */
interface EscapedHtml {
  readonly text: string;
}

/** A template tag for HTML that escapes inserted texts. Inserted attribute values must be in quotes. */
function html(pieces: TemplateStringsArray, ...inserted: readonly (EscapedHtml | string | undefined)[]): EscapedHtml {
  const texts = inserted.map((one) => (typeof one === 'object' ? one.text : escapeHtml(one ?? '')));
  return { text: String.raw({ raw: pieces }, ...texts) };
}

export function renderLoginPage(
  language: Language,
  { action, client, email }: Readonly<Record<'action' | 'email', string>> & { readonly client: unknown },
  { error, waitSeconds = 0 }: LoginFailure = {},
): string {
  const { login, errorTitle } = PAGE_TEXTS_BY_LANGUAGE[language];
  const name = findClientDisplayName(language, client);
  const notice = html`<p id="error" class="error" role="alert">
    ${error && login.errors[error](formatWaitTime(language, waitSeconds))}
  </p>`;
  const described = error && html` aria-describedby="error"`;
  const attributes = error === 'credentials' ? html`${described} aria-invalid="true"` : described;
  const autofocus = html` autofocus`;
  const [emailFocus, passwordFocus] = email === '' ? [autofocus, undefined] : [undefined, autofocus];
  const content = html`${name === undefined ? name : html`<p>${login.to(name)}</p>`} ${error && notice}
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
        required${attributes}${emailFocus}
      />
      <label for="password">${login.password}</label>
      <input
        id="password"
        name="password"
        type="password"
        autocomplete="current-password"
        required${attributes}${passwordFocus}
      />
      <button>${login.submit}</button>
    </form>`;
  return renderLayout(language, login.title, content, error && errorTitle(login.title));
}

export function renderLogoutPage(language: Language, client: unknown, form: string): string {
  const { logout } = PAGE_TEXTS_BY_LANGUAGE[language];
  const name = findClientDisplayName(language, client);
  const content = html`<p>${name && `${logout.leaving(name)} `}${logout.text}</p>
    ${{ text: form }}
    <div class="buttons">
      <button form="op.logoutForm" name="logout" value="yes">${logout.yes}</button>
      <button form="op.logoutForm" class="quiet">${logout.no}</button>
    </div>`;
  return renderLayout(language, logout.title, content);
}

export function renderMessagePage(language: Language, message: PageMessage, detail?: string): string {
  const { title, text } = PAGE_TEXTS_BY_LANGUAGE[language].messages[message];
  const extra = detail && html` <p lang="en"><code>${detail}</code></p>`;
  return renderLayout(
    language,
    title,
    html`<p>${text}</p>
      ${extra}`,
  );
}

function renderLayout(language: Language, heading: string, content: EscapedHtml, title = heading): string {
  const { product } = PAGE_TEXTS_BY_LANGUAGE[language];
  return html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} – ${product}</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="${STYLESHEET_PATH}" />
      </head>
      <body>
        <header>${product}</header>
        <main>
          <h1>${heading}</h1>
          ${content}
        </main>
      </body>
    </html> `.text;
}
