import escapeHtml from 'escape-html';
import { clientIn, TEXTS, waitIn, type Failure, type Language, type Message } from './texts.ts';

export const STYLESHEET_PATH = '/identity.css';

/** HTML that is already escaped; `markup` escapes every other text. */
interface Html {
  readonly text: string;
}

/** A template tag. Attributes must be quoted. */
function markup(pieces: TemplateStringsArray, ...inserted: readonly (Html | string | undefined)[]): Html {
  const written = inserted.map((one) => (typeof one === 'object' ? one.text : escapeHtml(one ?? '')));
  return { text: String.raw({ raw: pieces }, ...written) };
}

export function loginPage(
  language: Language,
  { action, client, email }: Readonly<Record<'action' | 'email', string>> & { readonly client: unknown },
  { error, waitSeconds = 0 }: Failure = {},
): string {
  const { login, errorTitle } = TEXTS[language];
  const to = clientIn(language, client);
  const alert = markup`<p id="error" class="error" role="alert">${error && login.errors[error](waitIn(language, waitSeconds))}</p>`;
  const described = error && markup` aria-describedby="error"`;
  const state = error === 'credentials' ? markup`${described} aria-invalid="true"` : described;
  const focus = markup` autofocus`;
  const [emailFocus, passwordFocus] = email === '' ? [focus, undefined] : [undefined, focus];
  const content = markup`${to === undefined ? to : markup`<p>${login.to(to)}</p>`}
${error && alert}
<form method="post" action="${action}">
  <label for="email">${login.email}</label>
  <input id="email" name="email" value="${email}" inputmode="email" autocomplete="username"
    autocapitalize="none" spellcheck="false" required${state}${emailFocus}>
  <label for="password">${login.password}</label>
  <input id="password" name="password" type="password" autocomplete="current-password"
    required${state}${passwordFocus}>
  <button>${login.submit}</button>
</form>`;
  return layout(language, login.title, content, error && errorTitle(login.title));
}

export function logoutPage(language: Language, client: unknown, form: string): string {
  const { logout } = TEXTS[language];
  const left = clientIn(language, client);
  const content = markup`<p>${left && `${logout.leaving(left)} `}${logout.text}</p>
${{ text: form }}
<div class="buttons">
  <button form="op.logoutForm" name="logout" value="yes">${logout.yes}</button>
  <button form="op.logoutForm" class="quiet">${logout.no}</button>
</div>`;
  return layout(language, logout.title, content);
}

export function messagePage(language: Language, message: Message, detail?: string): string {
  const { title, text } = TEXTS[language].messages[message];
  const below = detail && markup`\n<p lang="en"><code>${detail}</code></p>`;
  return layout(language, title, markup`<p>${text}</p>${below}`);
}

function layout(language: Language, heading: string, content: Html, title = heading): string {
  const { product } = TEXTS[language];
  return markup`<!doctype html>
<html lang="${language}">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${title} – ${product}</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="${STYLESHEET_PATH}">
  </head>
  <body>
    <header>${product}</header>
    <main>
      <h1>${heading}</h1>
      ${content}
    </main>
  </body>
</html>
`.text;
}
