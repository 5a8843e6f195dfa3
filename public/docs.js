/* The page of /docs: asks who one is, loads the description with that token, and lets every call be tried with it. */

import { showInterface } from './interface.js';
import { openLogin } from './login.js';

const KEPT = 'token';

/**
 * A part of the page, which has to be there and of that kind.
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
const status = part('#status', HTMLElement);
const leave = part('#leave', HTMLElement);
const search = part('search', HTMLElement);
const words = part('#words', HTMLInputElement);
const found = part('output', HTMLOutputElement);
/** The token whose owner the page has named. */
let known;

form.addEventListener('submit', (event) => {
  event.preventDefault();
  void enter(pasted(field.value.trim().replace(/^Bearer\s+/i, '')));
});

const login = await openLogin();
try {
  const kept = sessionStorage.getItem(KEPT);
  if (login !== undefined && (await login.isLoggedIn())) await enter(loggedIn(login));
  else if (kept !== null) await enter(pasted(kept));
  else await welcome();
} catch (error) {
  await refuse(error);
}

/** Somebody with a token from elsewhere, which is all there is of it. */
function pasted(token) {
  const forget = () => sessionStorage.removeItem(KEPT);
  return {
    token: () => token,
    renewed: () => false,
    keep: () => sessionStorage.setItem(KEPT, token),
    forget,
    leaveBy: 'Ask as somebody else',
    leave() {
      forget();
      location.reload();
    },
  };
}

/** Somebody who logged in at the provider, which may give another token after this one. */
function loggedIn(login) {
  return { ...login, keep() {}, leaveBy: 'Log out', leave: login.end };
}

/** Shows the page to this asker, or where the token is not accepted, where another comes from. */
async function enter(asker) {
  try {
    const token = await asker.token();
    const owner = await ownerOf(token);
    show(await ask('../api-json', token), asker);
    asker.keep();
    known = token;
    entrance.hidden = true;
    leave.hidden = false;
    leave.textContent = asker.leaveBy;
    leave.addEventListener('click', asker.leave);
    search.hidden = false;
    say(owner);
    // What was clicked is gone; the search comes next.
    status.focus();
  } catch (error) {
    await asker.forget();
    await refuse(error);
  }
}

/** The token of this asker; says who that is whenever it is another than before. */
async function introduced(asker) {
  const token = await asker.token();
  if (token !== known) {
    say(await ownerOf(token));
    known = token;
  }
  return token;
}

async function ownerOf(token) {
  return nameOf(await ask('../api/auth/profile', token), token);
}

async function refuse({ message }) {
  await welcome();
  say(message, 'refused');
}

async function ask(path, token) {
  // A header takes no other characters, and no token has them.
  if (!/^[\x21-\x7e]+$/.test(token)) throw new Error('This is not a token.');
  const answer = await fetch(new URL(path, import.meta.url), { headers: { Authorization: `Bearer ${token}` } });
  if (answer.status === 401) throw new Error('The token is not accepted: it may have expired.');
  if (!answer.ok) throw new Error(`The description could not be loaded (${answer.status}).`);
  return answer.json();
}

/** Says where a token comes from: from a click, where the service is a demonstration. */
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
      say(`Nobody can log in at ${login.issuer} now: ${message}`, 'refused');
    }
  });
  loginPart.hidden = false;
}

/** Says so before anybody tries; a token from elsewhere still works. */
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
    else say(`There is no token for this page here (${answer.status}).`, 'refused');
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
  return `Asking as ${name ?? email ?? sub}, ${role}, ${reachOf(role, clients.length)}, until ${until}`;
}

function show(description, asker) {
  const search = showInterface(description, () => introduced(asker), {
    async onRefused() {
      try {
        if (!(await asker.renewed())) throw new Error('The token is not accepted any more.');
        await introduced(asker);
        say(`${status.textContent}. The token before was not accepted any more: send it again.`);
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
  if (endpoints === 0) return 'No endpoint has all these words.';
  return endpoints === 1 ? '1 endpoint' : `${endpoints} endpoints`;
}

function say(text, kind = '') {
  status.textContent = text;
  status.className = kind;
}
