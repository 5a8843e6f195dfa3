import {
  createInvoice,
  createReclamation,
  downloadDocument,
  listReclamations,
  logIn,
  updateReclamation,
  uploadDocument,
} from '../hey-api/index.js';
import { client } from '../hey-api/client.gen.js';
import { AVIS, CLIENT, nextCursor, SITE, printResult } from './flow.js';

/* The flow with the client of @hey-api/openapi-ts, which holds each request and each answer against its zod schema. */

await printResult(async (baseUrl, token) => {
  client.setConfig({ baseUrl, auth: () => token });
  const { data: me } = await logIn({ body: { token }, throwOnError: true });

  const claims: string[] = [];
  let [pages, total] = [0, 0];
  for (let after: string | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
    const { data, response } = await listReclamations({
      query: {
        ...{ limit: 2, count: 'exact', claim_type: ['TF', 'CFE'], sort: ['created_at', '-amount'] },
        ...(after && { after }),
      },
      throwOnError: true,
    });
    claims.push(...data.map(({ id }) => id));
    total = Number(response.headers.get('x-total-count'));
    after = nextCursor(response.headers);
    pages += 1;
  }

  const { data: claim, response: created } = await createReclamation({
    body: { client_id: CLIENT, site_id: SITE, claim_type: 'TF', amount: '1200.50' },
    headers: { 'Idempotency-Key': crypto.randomUUID() },
    throwOnError: true,
  });
  const draft = created.headers.get('etag') ?? '';
  const path = { id: claim.id };

  const { data: moved } = await updateReclamation({
    path,
    headers: { 'If-Match': draft },
    body: { ...claim, status: 'READY_FOR_REVIEW' },
    throwOnError: true,
  });

  const { data: document } = await uploadDocument({
    path,
    body: { file: new File([AVIS], 'avis.txt', { type: 'text/plain' }) },
    throwOnError: true,
  });
  const { data: content } = await downloadDocument({
    path: { id: document.id },
    parseAs: 'blob',
    throwOnError: true,
  });

  const { data: invoice } = await createInvoice({
    body: { client_id: CLIENT, reclamation_id: claim.id, amount_excl_tax: 1250 },
    throwOnError: true,
  });

  const { error: changed } = await updateReclamation({
    path,
    headers: { 'If-Match': draft },
    body: { grounds: 'Erreur de surface' },
  });
  const { error: refused } = await updateReclamation({ path, body: { status: 'REFUNDED' } });

  return {
    name: me.name,
    ...{ claims: claims.length, pages, total },
    status: moved.status,
    filename: document.filename,
    content: await content.text(),
    billed: invoice.amount_incl_tax,
    refusals: [changed?.error.code, refused?.error.code],
  };
});
