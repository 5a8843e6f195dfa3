/** How the client of orval sends a request: to the service, with the token that came last. */
export const session = { baseUrl: '', token: '' };

export async function request<T>(url: string, options: RequestInit): Promise<T> {
  const headers = new Headers(options.headers);
  if (session.token !== '') headers.set('authorization', `Bearer ${session.token}`);
  const answer = await fetch(session.baseUrl + url, { ...options, headers });
  const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true;
  const data: unknown = isJson ? await answer.json() : await answer.blob();
  return { status: answer.status, data, headers: answer.headers } as T;
}
