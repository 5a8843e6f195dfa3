import { CLAIM_OF_CLIENT, type Asked } from './asked.ts';

/** A request that the benchmark `scale` repeats. */
export interface Kind {
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  /** The token of the caller; absent for a request without a token. */
  readonly token?: string;
  readonly body?: (call: number) => string | FormData;
  readonly expected: number;
}

const UPLOADED_BYTES = 100_000;

export async function kindsOf(asked: Asked): Promise<readonly Kind[]> {
  const { client, claim, site, foreignClaim, document } = asked;
  const token = await asked.token(50);
  const one = `/api/reclamations/${claim}`;
  const read = { method: 'GET', token, expected: 200 } as const;
  const kinds: Kind[] = [
    { name: 'read a claim', ...read, path: one },
    { name: 'list 20 claims of a client', ...read, path: `/api/clients/${client}/reclamations?limit=20` },
    { name: 'list 20 claims of 50 clients', ...read, path: '/api/reclamations?limit=20' },
    {
      name: 'list 100 claims with the names of client and site',
      ...read,
      path: '/api/reclamations?limit=100&expand=client,site',
    },
    { name: 'count claims by status', ...read, path: '/api/reclamations/summary?by=status' },
    { name: 'download 100 kB', ...read, path: `/api/documents/${document}/content` },
    {
      ...{ name: 'create a claim', method: 'POST', token, path: '/api/reclamations', expected: 201 },
      body: () => JSON.stringify({ ...CLAIM_OF_CLIENT, client_id: client, site_id: site }),
    },
    {
      ...{ name: 'change a claim', method: 'PUT', token, path: one, expected: 200 },
      body: (call) => JSON.stringify({ grounds: `Base d’imposition ${call}` }),
    },
    {
      ...{ name: 'attach 100 kB', method: 'POST', token, path: `${one}/documents`, expected: 201 },
      body: () => uploadOf(UPLOADED_BYTES),
    },
    { name: 'refused: a claim of others', ...read, path: `/api/reclamations/${foreignClaim}`, expected: 403 },
    { name: 'refused: no token', method: 'GET', path: one, expected: 401 },
    {
      ...{ name: 'log in with a token', method: 'POST', token, path: '/api/auth/login', expected: 200 },
      body: () => JSON.stringify({ token }),
    },
  ];
  for (const clients of [1, 200, 1_000, 2_000])
    kinds.push({
      name: `read a claim, ${clients} clients in the token`,
      ...read,
      token: await asked.token(clients),
      path: one,
    });
  return kinds;
}

/** Returns an upload form with a file that begins like a PDF. */
export function uploadOf(bytes: number): FormData {
  const form = new FormData();
  form.append('file', new Blob([`%PDF-1.7\n${'0'.repeat(bytes - 9)}`], { type: 'application/pdf' }), 'avis.pdf');
  return form;
}
