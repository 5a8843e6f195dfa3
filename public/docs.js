/* The page of /docs: asks who one is, loads the description with that token, and lets every call be tried with it. */

import { showInterface } from './interface.js';

const KEPT = 'token';
const entrance = document.querySelector('#entrance');
const people = document.querySelector('#people');
const form = document.querySelector('form');
const field = document.querySelector('#token');
const status = document.querySelector('#status');
const leave = document.querySelector('#leave');
const search = document.querySelector('search');
const words = document.querySelector('#words');
const found = document.querySelector('output');

form.addEventListener('submit', (event) => {
  event.preventDefault();
  void enter(field.value.trim().replace(/^Bearer\s+/i, ''));
});

leave.addEventListener('click', () => {
  sessionStorage.removeItem(KEPT);
  location.reload();
});

const kept = sessionStorage.getItem(KEPT);
if (kept === null) void welcome();
else void enter(kept);

/** Shows the page with this token, or where it is not accepted, where another comes from. */
async function enter(token) {
  try {
    const caller = await ask('/api/auth/profile', token);
    show(await ask('/api-json', token), token);
    sessionStorage.setItem(KEPT, token);
    entrance.hidden = true;
    leave.hidden = false;
    search.hidden = false;
    say(nameOf(caller, token));
    // What was clicked is gone; the search comes next.
    status.focus();
  } catch (error) {
    sessionStorage.removeItem(KEPT);
    await welcome();
    say(error.message, 'refused');
  }
}

async function ask(path, token) {
  // A header takes no other characters, and no token has them.
  if (!/^[\x21-\x7e]+$/.test(token)) throw new Error('This is not a token.');
  const answer = await fetch(path, { headers: { Authorization: `Bearer ${token}` } });
  if (answer.status === 401) throw new Error('The token is not accepted: it may have expired.');
  if (!answer.ok) throw new Error(`The description could not be loaded (${answer.status}).`);
  return answer.json();
}

/** Says where a token comes from: from a click, where the service is a demonstration. */
async function welcome() {
  if (!entrance.hidden) return;
  const answer = await fetch('/docs/people.json');
  const offered = answer.ok ? await answer.json() : [];
  people.querySelector('ul').append(...offered.map(choiceOf));
  people.hidden = offered.length === 0;
  document.querySelector('#provider').hidden = offered.length > 0;
  entrance.hidden = false;
  if (offered.length === 0) field.focus();
}

function choiceOf({ role, name, clients }) {
  const button = document.createElement('button');
  button.type = 'button';
  for (const [kind, text] of Object.entries({ strong: name, code: role, span: reachOf(role, clients) })) {
    button.append(Object.assign(document.createElement(kind), { textContent: text }), ' ');
  }
  button.addEventListener('click', async () => {
    const answer = await fetch(`/docs/people/${role}`, { method: 'POST' });
    if (answer.ok) await enter((await answer.json()).token);
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

function show(description, token) {
  const onRefused = () => say('The token is not accepted any more.', 'refused');
  const search = showInterface(description, token, { onRefused });
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
