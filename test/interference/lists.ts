import { OPERATIONS } from '../property/requests.ts';
import { ROWS } from '../resources/access.ts';
import { fill } from '../resources/situations.ts';
import type { Callers, Who } from './callers.ts';
import type { FirmNames } from './firm.ts';
import type { Act } from './requests.ts';
import type { Request } from './step.ts';

const WHO: readonly Who[] = ['admin', 'manager', 'specialist', 'client', 'none'];

type Parameter = NonNullable<(typeof OPERATIONS)[number]['operation']['parameters']>[number];

/**
 * Search texts for lists: words from the callers’ records, words from other tenants’ records, wildcards, and a text
 * that no record has.
 */
const TEXTS = [
  ...['Martin', 'hôtel', '%', '_', '100%_', 'b.example', 'Siège 1', 'F 1', '73282932000074', 'GET /api/sites'],
  ...['zzz'],
];
const TIMES = ['2024-03-01T01:00:00Z', '2024-03-01T01:03:00Z', '2025-06-01T00:00:00Z'];
const PAGES = [
  ...['limit=1', 'limit=1000', 'limit=2&offset=3', 'limit=1&offset=999', 'count=exact'],
  ...['count=exact&limit=1&offset=500'],
];

const KINDS: Readonly<Record<string, keyof FirmNames>> = {
  client_id: 'clients',
  client_context: 'clients',
  site_id: 'sites',
  reclamation_id: 'reclamations',
  partner_id: 'biller',
  invoice_id: 'factures',
  user_id: 'users',
  assignee_id: 'users',
  author_id: 'users',
  resource_id: 'sites',
};

/** Requests that read every list, page by page and with every filter and sort order. */
export const listsWalked: readonly Act[] = OPERATIONS.filter(
  ({ method, operation }) => method === 'GET' && (operation.parameters ?? []).some(({ name }) => name === 'limit'),
).flatMap(({ name, path, operation: { parameters = [] } }) =>
  WHO.map((who) => ({
    name: `${name} by ${who}`,
    requests: ({ names, tokens }: Callers, foreign: FirmNames): Request[] => {
      const row = ROWS.find(({ line }) => line === `GET ${path}`);
      const filled = row === undefined ? path : fill(row, names).replace('GET ', '');
      const queries = parameters.flatMap((parameter) => queriesOf(parameter, names, foreign));
      const get = (target: string): Request => ({ line: `GET ${target}`, token: tokens[who] });
      return [
        ...[...PAGES, ...queries].map((query) => get(`${filled}?${query}`)),
        { ...get(filled), headers: { accept: 'text/csv' } },
        ...queries
          .filter((query) => !query.includes('limit=') && !query.includes('count='))
          .map((query) => ({ ...get(`${filled}?${query}`), headers: { accept: 'text/csv' } })),
        get(`${filled}?limit=2`),
        ...Array.from({ length: 4 }, () => get('<next>')),
      ];
    },
  })),
);

function queriesOf({ name, schema: one }: Parameter, names: FirmNames, foreign: FirmNames): string[] {
  const said = (values: readonly string[]): string[] => values.map((value) => `${name}=${encodeURIComponent(value)}`);
  if (['limit', 'offset', 'after', 'count'].includes(name)) return [];
  // Some parameters of a list take several values. Each value is also tried alone.
  const schema = one.items ?? one;
  if (name === 'by') {
    const [first = '', ...more] = (schema.enum ?? []).map(String);
    return said([first, ...more, ...more.map((other) => `${first},${other}`)]);
  }
  if (name === 'sort')
    return said((schema.enum ?? []).map(String)).flatMap((sort) => [`${sort}&limit=3`, `${sort}&count=exact`]);
  if (schema.items?.enum !== undefined) {
    const words = schema.items.enum.map(String);
    return said([...words, words.join(',')]);
  }
  if (name === 'id') return [names, foreign].map((ids) => `id=${Object.values(ids).slice(0, 9).join()}`);
  if (schema.pattern?.startsWith('^(?:none|') === true && KINDS[name] === undefined)
    return said(['none', '2024', 'none,2018']);
  const kind = KINDS[name];
  if (kind !== undefined) return said([names[kind], foreign[kind]]);
  if (schema.enum !== undefined) return said(schema.enum.map(String));
  if (schema.type === 'boolean') return said(['true', 'false']);
  if (schema.format === 'date-time') return said(TIMES);
  if (schema.format === 'date') return said(TIMES.map((time) => time.slice(0, 10)));
  return said(['integer', 'number'].includes(schema.type ?? '') ? ['2018', '2024'] : TEXTS);
}
