import createClient from 'openapi-fetch';
import type { components, paths } from './schema.js';

/*
 * An example page that lists a firm’s claims. It is written as a developer would write it who knows only
 * docs/frontend.md and /docs.
 */

type Claim = components['schemas']['Reclamation'];
type Query = NonNullable<paths['/api/reclamations']['get']['parameters']['query']>;
type Order = NonNullable<Query['sort']>[number];

const { baseUrl, token } = JSON.parse(sessionStorage.getItem('login') ?? '{}') as Record<string, string>;
const api = createClient<paths, 'application/json' | '*/*'>({
  ...{ baseUrl, headers: { authorization: `Bearer ${token}` } },
  querySerializer: { array: { style: 'form', explode: false } },
});

const find = <E extends Element>(selector: string): E => {
  const found = document.querySelector<E>(selector);
  if (found === null) throw new Error(`the page has no ${selector}`);
  return found;
};
const rowOf = (cell: 'th' | 'td', ...parts: (Node | string)[]): HTMLTableRowElement => {
  const row = document.createElement('tr');
  for (const part of parts) row.appendChild(document.createElement(cell)).append(part);
  return row;
};
const button = (text: string, onClick: () => unknown): HTMLButtonElement => {
  const made = document.createElement('button');
  Object.assign(made, { type: 'button', textContent: text, onclick: onClick });
  return made;
};
const say = (text: string): void => {
  find('[role=status]').textContent = text;
};

let words: components['schemas']['Words'] = {};
const wordOf = (name: string, word: string): string => words[name]?.[word]?.fr ?? word;

const COLUMNS = ['client', 'site', 'amount', 'granted_amount', 'status', 'assignee', 'claim_deadline'] as const;
let order: Order = '-created_at';
let claims: Claim[] = [];

async function list(): Promise<void> {
  const q = find<HTMLInputElement>('#search input').value;
  const { data, error } = await api.GET('/api/reclamations', {
    params: { query: { ...(q && { q }), sort: [order], limit: 60, expand: ['client', 'site', 'assignee'] } },
  });
  if (error !== undefined) return say(error.error.message);
  claims = data as Claim[];
  const all = document.createElement('input');
  Object.assign(all, { type: 'checkbox', ariaLabel: 'Toutes', onchange: () => check(all.checked) });
  const headers = COLUMNS.map((column) =>
    button(wordOf('ReclamationSort', column), () => {
      order = order === column ? `-${column}` : column;
      return list();
    }),
  );
  find('#claims thead').replaceChildren(rowOf('th', all, ...headers));
  find('#claims tbody').replaceChildren(
    ...claims.map((claim) => {
      const { client, site, assignee, status } = claim;
      const box = document.createElement('input');
      Object.assign(box, { type: 'checkbox', value: claim.id, ariaLabel: 'Cocher' });
      return rowOf(
        ...(['td', box, button(client?.company_name ?? '', () => open(claim)), site?.site_name ?? ''] as const),
        ...[String(claim.amount), String(claim.granted_amount ?? '')],
        ...[wordOf('ReclamationStatus', status), assignee?.name ?? '', claim.claim_deadline ?? ''],
      );
    }),
  );
  say(`${claims.length} réclamations`);
}

const boxes = (): HTMLInputElement[] => [...document.querySelectorAll<HTMLInputElement>('#claims td input')];

/**
 * Shows the users to whom the first chosen claim can be assigned. If another chosen claim cannot be assigned to one of
 * them, the service refuses that claim by name.
 */
async function check(isChecked: boolean): Promise<void> {
  for (const box of boxes()) box.checked = isChecked;
  const clientId = claims[0]?.client_id ?? '';
  const { data } = await api.GET('/api/clients/{clientId}/assignees', { params: { path: { clientId } } });
  find('#assignment select').replaceChildren(
    ...(data as components['schemas']['Assignee'][]).map(({ id, name }) => new Option(name, id)),
  );
}

async function assign(assignee: string): Promise<void> {
  const chosen = new Set(boxes().flatMap(({ checked, value }) => (checked ? [value] : [])));
  const changes = claims
    .filter(({ id }) => chosen.has(id))
    .map(({ id, updated_at: version }) => ({ id, version, assignee_id: assignee }));
  const { data, error } = await api.POST('/api/reclamations/changes', {
    params: { header: { 'Idempotency-Key': crypto.randomUUID() } },
    body: { changes },
  });
  const [first] = error?.error.problems ?? [];
  if (error !== undefined) return say(`${error.error.message} ${first?.field ?? ''} : ${first?.message ?? ''}`);
  await list();
  say(`${data.length} réclamations confiées`);
}

let opened: Claim | undefined;

async function open(claim: Claim): Promise<void> {
  opened = claim;
  const form = find<HTMLFormElement>('#claim');
  form.hidden = false;
  for (const input of form.querySelectorAll('input')) input.value = String(claim[input.name as 'amount'] ?? '');
  for (const output of form.querySelectorAll('output')) output.textContent = '';
  const { data: changes } = await api.GET('/api/reclamations/{id}/changes', {
    params: { path: { id: claim.id } },
  });
  const lines = (changes as components['schemas']['RecordedChange'][]).map((change) => {
    const line = document.createElement('li');
    const field = wordOf('ReclamationField', change.field);
    line.textContent = `${change.user?.name} — ${field} : ${String(change.old)} → ${String(change.new)}`;
    return line;
  });
  find('#claim ol').replaceChildren(...lines);
  await preview(claim);
}

async function preview({ id }: Claim): Promise<void> {
  const { data: documents } = await api.GET('/api/documents', {
    params: { query: { reclamation_id: id, kind: ['AVIS'], limit: 1 } },
  });
  const [avis] = documents as components['schemas']['Document'][];
  const frame = find<HTMLIFrameElement>('#claim iframe');
  frame.hidden = avis === undefined;
  if (avis === undefined) return;
  const { data: link } = await api.POST('/api/documents/{id}/link', { params: { path: { id: avis.id } } });
  if (link !== undefined) frame.src = new URL(link.url, baseUrl).href;
}

async function save(fields: Record<string, string>): Promise<void> {
  if (opened === undefined) return;
  for (const output of document.querySelectorAll('#claim output')) output.textContent = '';
  const { data, error } = await api.PUT('/api/reclamations/{id}', {
    params: { path: { id: opened.id } },
    body: { amount: fields['amount'] ?? '', collection_date: fields['collection_date'] || null },
  });
  for (const { field, message } of error?.error.problems ?? [])
    find(`#claim output[for="${field}"]`).textContent = message;
  if (error !== undefined) return say(error.error.message);
  await open(data);
  await list();
  await board();
  say('Enregistré');
}

async function board(): Promise<void> {
  const { data } = await api.GET('/api/reclamations/summary', {
    params: { query: { by: ['client', 'status'] } },
  });
  const rows = data as components['schemas']['ReclamationSummary'][];
  const states = Object.keys(words['ReclamationStatus'] ?? {}).filter((state) =>
    rows.some(({ status }) => status === state),
  );
  const clients = Map.groupBy(rows, ({ client }) => client?.company_name ?? '');
  const counted = [...clients].map(([name, ofClient]) =>
    rowOf('td', name, ...states.map((state) => String(ofClient.find(({ status }) => status === state)?.count ?? ''))),
  );
  const head = rowOf('th', 'Client', ...states.map((state) => wordOf('ReclamationStatus', state)));
  find('#board').replaceChildren(head, ...counted);
}

function onSubmit(form: string, act: (fields: Record<string, string>) => Promise<void>): void {
  find<HTMLFormElement>(form).onsubmit = (event) => {
    event.preventDefault();
    const fields = Object.fromEntries(new FormData(event.target as HTMLFormElement)) as Record<string, string>;
    void act(fields);
  };
}

onSubmit('#search', list);
onSubmit('#assignment', ({ assignee_id: assignee = '' }) => assign(assignee));
onSubmit('#claim', save);
({ data: words = {} } = await api.GET('/api/words'));
await board();
await list();
