import createClient from 'openapi-fetch';
import type { components, paths } from './schema.js';

/*
 * An example page that a link in a reminder mail opens. The page shows a claim and its tasks, and reads them again
 * after each change.
 */

type Change = components['schemas']['Change'];
type Claim = components['schemas']['Reclamation'];
type Note = components['schemas']['Note'];

const id = location.pathname.split('/').at(-1) ?? '';
const { baseUrl, token } = JSON.parse(sessionStorage.getItem('login') ?? '{}') as Record<string, string>;
const api = createClient<paths, 'application/json' | '*/*'>({
  ...{ baseUrl, headers: { authorization: `Bearer ${token}` } },
  querySerializer: { array: { style: 'form', explode: false } },
});

const find = <E extends HTMLElement>(selector: string): E => {
  const found = document.querySelector<E>(selector);
  if (found === null) throw new Error(`the page has no ${selector}`);
  return found;
};
const say = (text: string): void => {
  find('[role=status]').textContent = text;
};
const element = (name: string, ...parts: (Node | string)[]): HTMLElement => {
  const made = document.createElement(name);
  made.append(...parts);
  return made;
};
const dayOf = (time: string): string =>
  new Intl.DateTimeFormat('fr-FR', { dateStyle: 'full', timeZone: 'UTC' }).format(new Date(time));

const { data: words = {} } = await api.GET('/api/words');
const wordOf = (name: string, word: string): string => words[name]?.[word]?.fr ?? word;

async function show(): Promise<void> {
  const query = { reclamation_id: [id], sort: ['due_on' as const], limit: 100 };
  const claim = await api.GET('/api/reclamations/{id}', {
    params: { path: { id }, query: { expand: ['client'] } },
  });
  const tasks = await api.GET('/api/tasks', { params: { query } });
  const error = claim.error ?? tasks.error;
  if (error !== undefined) return say(error.error.message);
  const { client, claim_type: type, status, court_deadline: deadline } = claim.data as Claim;
  const facts = {
    client: client?.company_name ?? '',
    claim_type: wordOf('ClaimType', type),
    status: wordOf('ReclamationStatus', status),
    court_deadline: deadline === null ? '' : dayOf(deadline),
  };
  find('dl').replaceChildren(
    ...Object.entries(facts).flatMap(([name, fact]) => [
      element('dt', wordOf('ReclamationSort', name)),
      element('dd', fact),
    ]),
  );
  find('ul').replaceChildren(...(tasks.data as Note[]).map(itemOf));
}

function itemOf({ id: task, text, due_on: day, done_at: done }: Note): HTMLElement {
  if (done !== null) return element('li', `${text}, faite le ${dayOf(done)}`);
  const end = element('button', 'Terminer');
  end.onclick = async () => {
    const body = { done_at: new Date().toISOString() };
    const { error } = await api.PUT('/api/notes/{id}', { params: { path: { id: task } }, body });
    say(error === undefined ? 'Tâche terminée' : error.error.message);
  };
  return element('li', `${text}, pour le ${dayOf(day ?? '')} `, end);
}

async function* eventsOf(stream: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  let rest = '';
  for await (const piece of stream.pipeThrough(new TextDecoderStream())) {
    const events = (rest + piece).split('\n\n');
    rest = events.pop() ?? '';
    yield* events;
  }
}

/** Listens for changes before the page reads the claim, so that the page misses no change during its first read. */
async function listen(): Promise<void> {
  const headers = { accept: 'text/event-stream' };
  const { data, error } = await api.GET('/api/changes', { parseAs: 'stream', headers });
  if (!data) return say(error?.error.message ?? '');
  await show();
  say('À jour');
  for await (const event of eventsOf(data)) {
    const [, told] = /^data: (.+)$/m.exec(event) ?? [];
    const change = JSON.parse(told ?? '{}') as Partial<Change>;
    if (change.resource === 'notes' || change.id === id) await show();
  }
  say('Rechargez la page : les changements n’arrivent plus.');
}

find<HTMLFormElement>('form').onsubmit = async (event) => {
  event.preventDefault();
  const fields = new FormData(find<HTMLFormElement>('form'));
  const body = { text: String(fields.get('text')), due_on: String(fields.get('due_on')) };
  const headers = { 'Idempotency-Key': crypto.randomUUID() };
  const { error } = await api.POST('/api/reclamations/{id}/notes', {
    params: { path: { id }, header: headers },
    body,
  });
  say(error?.error.problems?.[0]?.message ?? error?.error.message ?? 'Tâche ajoutée');
};
find('#calendar').onclick = async () => {
  const { data, error } = await api.POST('/api/users/me/calendar');
  if (data === undefined) return say(error.error.message);
  find('output').textContent = new URL(data.url, baseUrl).href;
};
await listen();
