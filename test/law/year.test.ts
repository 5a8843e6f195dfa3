import { expect, test } from '@jest/globals';
import type { Role } from '../../src/identity/caller.ts';
import { reclamationStatus } from '../../src/resources/reclamation-record.ts';
import { parisDay } from '../support/paris.ts';
import { startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';
import { claimStories, PAPERS } from './year.ts';

/*
 * This suite enters the claims of a desk through the interface, and compares the deadlines after each entry with
 * year.ts, a table made by hand from the law. It holds for some ten years: GET /api/deadlines reaches 3,660 days back.
 */

type Json = Readonly<Record<string, unknown>>;

interface Deadline {
  readonly kind: string;
  readonly id: string;
  readonly due_on: string | null;
  readonly days_left: number | null;
  readonly missing: readonly string[] | null;
  readonly reclamation_id: string | null;
}

const service = await forSuite(startService());
const stories = claimStories(parisDay());
const unlimitedAdmin = await service.token('ADMIN');

async function ask(line: string, token: string, body?: object): Promise<Json> {
  const answer = await service.ask(line, { token, ...(body && { body }) });
  expect([line, body, answer.status, answer.json]).toEqual([
    ...[line, body, body && line.startsWith('POST') ? 201 : 200, expect.anything()],
  ]);
  return answer.json as Json;
}

/** Lists deadlines as the table writes them: the kind and the last day, or the fields without which no day is known. */
async function deadlinesOf(client: string, token: string): Promise<readonly (Deadline & { readonly text: string })[]> {
  const line = `GET /api/deadlines?within=3660&passed=3660&limit=200&client_id=${client}`;
  const rows = (await service.ask(line, { token })).json as readonly Deadline[];
  return rows.map((row) => ({ ...row, text: `${row.kind} ${row.due_on ?? `? ${String(row.missing)}`}` }));
}

const firm = await ask('POST /api/clients', unlimitedAdmin, {
  ...{ company_name: 'Foncière des Terreaux SAS', contact_email: 'fiscalite@terreaux.example' },
});
const client = String(firm['id']);
const tokens: Readonly<Record<Role, string>> = {
  ADMIN: await service.token('ADMIN', [client]),
  ACCOUNT_MANAGER: await service.token('ACCOUNT_MANAGER', [client]),
  TAX_SPECIALIST: await service.token('TAX_SPECIALIST', [client]),
  CLIENT: await service.token('CLIENT', [client]),
};
const site = await ask('POST /api/sites', tokens.TAX_SPECIALIST, { client_id: client, site_name: 'Entrepôt' });
const ids = new Map<string, string>();

test.each(stories)('the claim “$name” has the deadlines of the table after each entry', async ({ name, entries }) => {
  let line = 'POST /api/reclamations';
  for (const [n, { by, body, days, shows = {} }] of entries.entries()) {
    const place = { client_id: client, site_id: site['id'], notice_reference: name };
    const claim = await ask(line, tokens[by], n === 0 ? { ...place, ...body } : body);
    const id = String(claim['id']);
    ids.set(name, id);
    line = `PUT /api/reclamations/${id}`;
    expect([n, claim]).toEqual([n, expect.objectContaining({ ...body, ...shows })]);
    const listed = (await deadlinesOf(client, tokens[by])).filter((row) => row.id === id);
    expect([n, listed.map(({ text }) => text).toSorted()]).toEqual([n, days.toSorted()]);
  }
});

test('the history of each claim keeps each move, and who made it, and which one was a correction', async () => {
  for (const { name, entries } of stories) {
    const history = await ask(`GET /api/reclamations/${String(ids.get(name))}/history`, tokens.CLIENT);
    const moves = (history as unknown as readonly Json[]).toReversed();
    const statuses = entries.flatMap(({ body }) => (body['status'] === undefined ? [] : [body['status']]));
    expect([name, moves.map(({ to_status }) => to_status).toSorted()]).toEqual([name, statuses.toSorted()]);
    const reasons = entries.flatMap(({ body }) => body['status_reason'] ?? []);
    expect([name, moves.flatMap(({ reason }) => reason ?? [])]).toEqual([name, reasons]);
    expect([name, moves.filter((move) => move['is_correction'] === true).length]).toEqual([
      ...[name, name.includes('by mistake') ? 1 : 0],
    ]);
  }
});

test('invoices, credit notes and a partner’s bill have the numbers, statuses and deadlines of the table after each entry', async () => {
  const partner = await ask('POST /api/partners', tokens.ACCOUNT_MANAGER, {
    name: 'Cabinet Perrin',
    client_ids: [client],
  });
  const papers = new Map<string, string>();
  const pathOf = (of: string): string => (of === 'bill' ? '/api/partner-invoices' : '/api/invoices');
  for (const [n, { of, by, body, credits, about, shows, days }] of PAPERS.entries()) {
    const id = papers.get(of);
    const given = {
      ...{ client_id: client, ...body, ...(of === 'bill' && { partner_id: partner['id'] }) },
      ...(credits !== undefined && { credits_id: papers.get(credits) }),
      ...(about !== undefined && { reclamation_id: ids.get(about) }),
    };
    const made = await (id === undefined
      ? ask(`POST ${pathOf(of)}`, tokens[by], given)
      : ask(`PUT ${pathOf(of)}/${id}`, tokens[by], body));
    papers.set(of, String(made['id']));
    for (const [name, expected] of Object.entries(shows)) {
      const shown = await ask(`GET ${pathOf(name)}/${String(papers.get(name))}`, tokens[by]);
      expect([n, name, shown]).toEqual([n, name, expect.objectContaining(expected)]);
    }
    const listed = (await deadlinesOf(client, tokens[by])).filter(({ kind }) => kind.endsWith('invoice'));
    expect([n, listed.map(({ text }) => text)]).toEqual([n, days]);
  }
});

test('the desk’s claims end in every status, and the list of deadlines is the table, missing days first and then the nearest', async () => {
  const ends = stories.map(
    ({ entries }) => entries.findLast(({ body }) => body['status'] !== undefined)?.body['status'] ?? 'DRAFT',
  );
  expect([...new Set(ends)].toSorted()).toEqual(reclamationStatus.options.toSorted());
  expect(stories.length).toBeGreaterThanOrEqual(40);
  const table = stories.flatMap(({ name, entries }) =>
    (entries.at(-1)?.days ?? []).map(
      (text) => `${text.split(' ').slice(1).join(' ')} ${text} ${String(ids.get(name))}`,
    ),
  );
  const rows = (await deadlinesOf(client, tokens.CLIENT)).filter(({ kind }) => !kind.endsWith('invoice'));
  const listed = rows.map(
    ({ text, reclamation_id: id }) => `${text.split(' ').slice(1).join(' ')} ${text} ${String(id)}`,
  );
  expect(listed.toSorted()).toEqual(table.toSorted());
  const keys = rows.map(({ due_on: day }) => day ?? '');
  expect(keys).toEqual(keys.toSorted());
  for (const { due_on: day, days_left: left } of rows) {
    const today = Date.parse(parisDay());
    expect(left).toBe(day === null ? null : (Date.parse(day) - today) / 86_400_000);
  }
});
