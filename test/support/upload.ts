import { readdir } from 'node:fs/promises';
import { request as send } from 'node:http';
import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { join, relative } from 'node:path';
import type { Answer } from './http.ts';
import { pdf } from './samples.ts';
import type { Service } from './service.ts';

export interface Part {
  /** The name of the upload form’s field that holds the file; the default is `file`. */
  readonly field?: string;
  readonly name?: string;
  readonly type?: string;
  readonly bytes?: Buffer | string;
}

const BOUNDARY = '----taxclaims';
export const FORM = `multipart/form-data; boundary=${BOUNDARY}`;

/** The bytes of a multipart upload form before and after the content of its file. */
export function frame({ field = 'file', name = 'avis.pdf', type = 'application/pdf' }: Part = {}): {
  head: Buffer;
  tail: Buffer;
} {
  const quoted = name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
  const disposition = `Content-Disposition: form-data; name="${field}"; filename="${quoted}"`;
  return {
    head: Buffer.from(`--${BOUNDARY}\r\n${disposition}\r\nContent-Type: ${type}\r\n\r\n`),
    tail: Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
  };
}

export function form(...parts: readonly Part[]): Buffer {
  const bodies = parts.flatMap((part) => [frame(part).head, Buffer.from(part.bytes ?? pdf), Buffer.from('\r\n')]);
  return Buffer.concat([...bodies, Buffer.from(`--${BOUNDARY}--\r\n`)]);
}

/** Uploads a document to a claim in a form with one file, or sends the given request body instead of such a form. */
export function upload(
  service: Service,
  token: string,
  claim: string,
  part: Part = {},
  body = form(part),
): Promise<Answer> {
  const headers = { 'content-type': FORM, 'content-length': body.length };
  return service.ask(`POST /api/reclamations/${claim}/documents`, { token, headers, body });
}

/** Begins the upload of a document without its body, which the test sends piece by piece. */
export function begin(
  service: Service,
  token: string,
  claim: string,
  further: OutgoingHttpHeaders = {},
): { request: ClientRequest; answer: Promise<{ status: number; json: unknown }> } {
  const path = `/api/reclamations/${claim}/documents`;
  const headers = { authorization: `Bearer ${token}`, 'content-type': FORM, ...further };
  const request = send({ port: service.port, host: '127.0.0.1', method: 'POST', path, headers, agent: false });
  const answer = new Promise<{ status: number; json: unknown }>((resolve, reject) => {
    request.once('error', reject);
    request.once('response', (response: IncomingMessage) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('end', () => {
        resolve({ status: response.statusCode ?? 0, json: JSON.parse(Buffer.concat(chunks).toString()) });
      });
    });
  });
  answer.catch(() => undefined);
  return { request, answer };
}

export interface Download {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
}

export async function download(
  service: Service,
  token: string,
  id: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<Download> {
  const url = `http://127.0.0.1:${service.port}/api/documents/${id}/content`;
  const answer = await fetch(url, { method, headers: { authorization: `Bearer ${token}`, ...headers } });
  return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) };
}

/** Lists the paths of all files in a folder and its subfolders. */
export async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();
}

/** Waits until a condition is true. @throws Error if the condition is not true within 20 seconds */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 20_000;
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error(`the condition never became true: ${isSo.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
