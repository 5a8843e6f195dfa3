import {
  createInvoice,
  createReclamation,
  downloadDocument,
  listReclamations,
  logIn,
  updateReclamation,
  uploadDocument,
} from '../orval/client.js';
import {
  CreateInvoiceResponse,
  CreateReclamationBody,
  CreateReclamationResponse,
  ListReclamationsQueryParams,
  ListReclamationsResponse,
  LogInResponse,
  UpdateReclamationBody,
  UpdateReclamationResponse,
  UploadDocumentBody,
  UploadDocumentResponse,
} from '../orval/zod.js';
import { session } from './orval-request.js';
import { AVIS, CLIENT, nextCursor, SITE, printResult } from './flow.js';

/* The flow with the fetch client of orval, and what is sent and answered held against its zod schemas. */

await printResult(async (baseUrl, token) => {
  session.baseUrl = baseUrl;
  const me = LogInResponse.parse((await logIn({ token })).data);
  session.token = token;

  const claims: string[] = [];
  let [pages, total] = [0, 0];
  for (let after: string | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
    const query = {
      ...{ limit: 2, count: 'exact', claim_type: ['TF', 'CFE'], sort: ['created_at', '-amount'] },
      ...(after && { after }),
    };
    const { data, headers } = await listReclamations(ListReclamationsQueryParams.parse(query));
    claims.push(...ListReclamationsResponse.parse(data).map(({ id }) => id));
    total = Number(headers.get('x-total-count'));
    after = nextCursor(headers);
    pages += 1;
  }

  const body = { client_id: CLIENT, site_id: SITE, claim_type: 'TF', amount: '1200.50' };
  const created = await createReclamation(CreateReclamationBody.parse(body), {
    headers: { 'Idempotency-Key': crypto.randomUUID() },
  });
  const claim = CreateReclamationResponse.parse(created.data);
  const draft = { headers: { 'If-Match': created.headers.get('etag') ?? '' } };

  const change = UpdateReclamationBody.parse({ ...claim, status: 'READY_FOR_REVIEW' });
  const moved = UpdateReclamationResponse.parse((await updateReclamation(claim.id, change, draft)).data);

  const file = new File([AVIS], 'avis.txt', { type: 'text/plain' });
  const uploaded = await uploadDocument(claim.id, UploadDocumentBody.parse({ file }));
  const document = UploadDocumentResponse.parse(uploaded.data);
  const downloaded = await downloadDocument(document.id);

  const billed = await createInvoice({ client_id: CLIENT, reclamation_id: claim.id, amount_excl_tax: 1250 });
  const invoice = CreateInvoiceResponse.parse(billed.data);

  const changed = await updateReclamation(claim.id, { grounds: 'Erreur de surface' }, draft);
  const refused = await updateReclamation(claim.id, { status: 'REFUNDED' });

  return {
    name: me.name,
    ...{ claims: claims.length, pages, total },
    status: moved.status,
    filename: document.filename,
    content: downloaded.status === 200 ? await downloaded.data.text() : undefined,
    billed: invoice.amount_incl_tax,
    refusals: [
      changed.status === 412 ? changed.data.error.code : undefined,
      refused.status === 409 ? refused.data.error.code : undefined,
    ],
  };
});
