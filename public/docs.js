/* The page /docs: logs a user in, loads the OpenAPI description with the user's token, and sends requests with it. */

import { showInterface } from './interface.js';
import { openLogin } from './login.js';

const KEPT = 'token';

/**
 * Returns an element of the page. Throws if the page has none of this kind.
 * @template {Element} Kind
 * @param {string} selector
 * @param {new () => Kind} kind
 * @param {ParentNode} within
 * @returns {Kind}
 */
function part(selector, kind, within = document) {
  const found = within.querySelector(selector);
  if (!(found instanceof kind)) throw new Error(`The page has no ${selector}.`);
  return found;
}

const entrance = part('#entrance', HTMLElement);
const people = part('#people', HTMLElement);
const loginPart = part('#login', HTMLElement);
const absent = part('#absent', HTMLElement);
const form = part('form', HTMLFormElement);
const field = part('#token', HTMLInputElement);
const refusal = part('#refusal', HTMLElement);
const status = part('#status', HTMLElement);
const leave = part('#leave', HTMLElement);
const search = part('search', HTMLElement);
const words = part('#words', HTMLInputElement);
const found = part('output', HTMLOutputElement);
/** Swagger UI's style sheet has a class for dark mode. */
const dark = matchMedia('(prefers-color-scheme: dark)');
/** The token whose owner the page shows. */
let known;

dark.addEventListener('change', showColors);
showColors();

form.addEventListener('submit', (event) => {
  event.preventDefault();
  refuseToken('');
  void enter(pasted(field.value.trim().replace(/^Bearer\s+/i, '')));
});

const login = await openLogin();
try {
  const kept = sessionStorage.getItem(KEPT);
  if (login !== undefined && (await login.isLoggedIn())) await enter(loggedIn(login));
  else if (kept !== null) await enter(pasted(kept));
  else await welcome();
} catch (error) {
  await welcome();
  sayRefusal(error);
}

function showColors() {
  document.documentElement.classList.toggle('dark-mode', dark.matches);
}

/** A session with a pasted token or a token of the demonstration, which the page cannot renew. */
function pasted(token) {
  const forget = () => sessionStorage.removeItem(KEPT);
  return {
    token: () => token,
    renewed: () => false,
    keep: () => sessionStorage.setItem(KEPT, token),
    forget,
    refuse: ({ message }) => refuseToken(message),
    leave() {
      forget();
      location.reload();
    },
  };
}

/** A session at the identity provider, which may renew the token. */
function loggedIn(login) {
  return { ...login, keep() {}, refuse: sayRefusal, leave: login.end };
}

/** Shows the API to this session. If the service refuses the token, shows the login and the reason. */
async function enter(session) {
  try {
    const token = await session.token();
    const owner = await ownerOf(token);
    show(await ask('../api-json', token), session);
    session.keep();
    known = token;
    entrance.hidden = true;
    leave.hidden = false;
    leave.addEventListener('click', session.leave);
    search.hidden = false;
    say(owner);
    // The clicked button is hidden now; the search follows the status.
    status.focus();
  } catch (error) {
    await session.forget();
    await welcome();
    session.refuse(error);
  }
}

/** Returns the session's token. Shows its owner if it is a new token. */
async function introduced(session) {
  const token = await session.token();
  if (token !== known) {
    say(await ownerOf(token));
    known = token;
  }
  return token;
}

async function ownerOf(token) {
  return nameOf(await ask('../api/auth/profile', token), token);
}

/** Shows at the field why the service refuses a pasted token. */
function refuseToken(message) {
  refusal.textContent = message;
  field.ariaInvalid = String(message !== '');
  if (message === '') return;
  field.focus();
  field.select();
}

function sayRefusal({ message }) {
  say(message, 'refused');
}

async function ask(path, token) {
  // A header takes no other characters, and a token has no others.
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new Error('This is not an access token: it has characters that no token has.');
  const answer = await fetch(new URL(path, import.meta.url), { headers: { Authorization: `Bearer ${token}` } });
  if (answer.status === 401) throw new Error('The service does not accept this token. It may have expired.');
  if (!answer.ok) throw new Error(`The service answered ${answer.url} with the status ${answer.status}.`);
  return answer.json();
}

/** Shows the ways to log in: the identity provider, the users of a demonstration, a pasted token. */
async function welcome() {
  if (!entrance.hidden) return;
  const answer = await fetch(new URL('people.json', import.meta.url));
  const offered = answer.ok ? await answer.json() : [];
  part('ul', HTMLUListElement, people).append(...offered.map(choiceOf));
  people.hidden = offered.length === 0;
  part('#provider', HTMLElement).hidden = offered.length > 0;
  if (login?.isThere) offerLogin(login);
  else if (login !== undefined) offerNoLogin(login);
  entrance.hidden = false;
  if (login?.isThere) part('button', HTMLButtonElement, loginPart).focus();
  else if (offered.length === 0) field.focus();
}

function offerLogin(login) {
  part('code', HTMLElement, loginPart).textContent = login.issuer;
  part('button', HTMLButtonElement, loginPart).addEventListener('click', async () => {
    try {
      await login.begin();
    } catch ({ message }) {
      say(`You cannot log in at ${login.issuer} now: ${message}`, 'refused');
    }
  });
  loginPart.hidden = false;
}

/** Shows that the identity provider does not answer; a pasted token still works. */
function offerNoLogin(login) {
  part('code', HTMLElement, absent).textContent = login.issuer;
  absent.hidden = false;
}

function choiceOf({ role, name, clients }) {
  const button = document.createElement('button');
  button.type = 'button';
  for (const [kind, text] of Object.entries({ strong: name, code: role, span: reachOf(role, clients) })) {
    button.append(Object.assign(document.createElement(kind), { textContent: text }), ' ');
  }
  button.addEventListener('click', async () => {
    const answer = await fetch(new URL(`people/${role}`, import.meta.url), { method: 'POST' });
    if (answer.ok) await enter(pasted((await answer.json()).token));
    else say(`The service gives this page no token (${answer.status}).`, 'refused');
  });
  const item = document.createElement('li');
  item.append(button);
  return item;
}

function reachOf(role, clients) {
  if (clients === 0) return role === 'ADMIN' ? 'every client' : 'no client';
  return clients === 1 ? 'one client' : `${clients} clients`;
}

function nameOf({ name, email, sub, role, client_access: clients }, token) {
  const [, payload] = token.split('.');
  const { exp } = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/')));
  const until = new Date(exp * 1000).toLocaleString([], {
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
  });
  return `Logged in as ${name ?? email ?? sub}, ${role}, ${reachOf(role, clients.length)}, until ${until}`;
}

function show(description, session) {
  const search = showInterface(description, () => introduced(session), {
    async onRefused() {
      try {
        if (!(await session.renewed()))
          throw new Error('The service no longer accepts this token. Log out, then log in again.');
        await introduced(session);
        say(`${status.textContent}. Your rights have changed: send the request again.`);
      } catch ({ message }) {
        say(message, 'refused');
      }
    },
  });
  words.addEventListener('input', () => {
    const text = words.value.trim();
    const count = search(text);
    found.textContent = text === '' ? '' : countOf(count);
    document.body.classList.toggle('searching', text !== '');
    scrollTo({ top: 0 });
  });
}

function countOf(endpoints) {
  if (endpoints === 0) return 'No endpoint contains all these words.';
  return endpoints === 1 ? '1 endpoint' : `${endpoints} endpoints`;
}

function say(text, kind = '') {
  status.textContent = text;
  status.className = kind;
}
