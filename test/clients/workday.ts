import createClient from 'openapi-fetch';
import type { paths } from './schema.js';

/*
 * The working day of an account manager, done with an API client of openapi-typescript and openapi-fetch. The script
 * logs in, pages through claims, creates a claim, changes its status, attaches a document and creates an invoice; two
 * further changes are refused. The script prints what the answers contained.
 */

type Query = NonNullable<paths['/api/reclamations']['get']['parameters']['query']>;

const CLIENT = 'c1000000-0000-4000-8000-000000000001';

function nextCursor(headers: Headers): string | undefined {
  const next = /<([^>]*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
  return next === undefined ? undefined : (new URL(next, 'http://x').searchParams.get('after') ?? undefined);
}

const [baseUrl = '', token = ''] = process.argv.slice(2);
// Besides JSON, the API client accepts text/csv for lists, and any content type for a document’s content.
const api = createClient<paths, 'application/json' | '*/*'>({
  baseUrl,
  querySerializer: { array: { style: 'form', explode: false } },
});
const { data: me } = await api.POST('/api/auth/login', { body: { token } });
api.use({
  onRequest: ({ request }) => {
    request.headers.set('authorization', `Bearer ${token}`);
  },
});

const claims: string[] = [];
let [pages, total] = [0, 0];
for (let after: string | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
  const query: Query = {
    ...{ limit: 2, count: 'exact', claim_type: ['TF', 'CFE'], sort: ['created_at', '-amount'] },
    ...(after && { after }),
  };
  const { data = [], response } = await api.GET('/api/reclamations', { params: { query } });
  claims.push(...data.map(({ id }) => id));
  total = Number(response.headers.get('x-total-count'));
  after = nextCursor(response.headers);
  pages += 1;
}

const { data: claim, response: created } = await api.POST('/api/reclamations', {
  body: { client_id: CLIENT, site_id: '51000000-0000-4000-8000-000000000001', claim_type: 'TF', amount: '1200.50' },
  params: { header: { 'Idempotency-Key': crypto.randomUUID() } },
});
if (claim === undefined) throw new Error('no claim');
const draft = created.headers.get('etag') ?? '';
const path = { id: claim.id };

const { data: moved } = await api.PUT('/api/reclamations/{id}', {
  params: { path, header: { 'If-Match': draft } },
  body: { ...claim, status: 'READY_FOR_REVIEW' },
});

const { data: document } = await api.POST('/api/reclamations/{id}/documents', {
  params: { path },
  body: { file: new Blob(['Avis de taxe foncière'], { type: 'text/plain' }) },
  bodySerializer: ({ file }) => {
    const form = new FormData();
    form.set('file', file, 'avis.txt');
    return form;
  },
});
const { data: content } = await api.GET('/api/documents/{id}/content', {
  params: { path: { id: document?.id ?? '' } },
  parseAs: 'blob',
});

const { data: invoice } = await api.POST('/api/invoices', {
  body: { client_id: CLIENT, reclamation_id: claim.id, amount_excl_tax: 1250 },
});

const { error: changed } = await api.PUT('/api/reclamations/{id}', {
  params: { path, header: { 'If-Match': draft } },
  body: { grounds: 'Erreur de surface' },
});
const { error: refused } = await api.PUT('/api/reclamations/{id}', {
  params: { path },
  body: { status: 'REFUNDED' },
});

console.log(
  JSON.stringify({
    name: me?.name,
    ...{ claims: claims.length, pages, total },
    status: moved?.status,
    filename: document?.filename,
    content: await content?.text(),
    billed: invoice?.amount_incl_tax,
    refusals: [changed?.error.code, refused?.error.code],
  }),
);
