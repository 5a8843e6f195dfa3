import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { z } from 'zod';
import type { CallerRequest } from '../http/caller-request.ts';
import { endpoint, type Reply } from '../http/endpoint.ts';
import { weakTagOf, replyUnlessNotModified } from '../http/preconditions.ts';
import { ROLES } from '../identity/caller.ts';

const WORKER = new URL(`./description-worker${extname(import.meta.filename)}`, import.meta.url);

type Texts = readonly [description: string, words: string];

let cachedTexts: Promise<Texts> | undefined;

/**
 * A worker thread writes the OpenAPI description for the first caller: the work would block the event loop for long,
 * and needs much memory.
 */
async function writeTexts(): Promise<Texts> {
  const thread = new Worker(WORKER, { name: 'description', env: {}, execArgv: [] });
  const [texts] = (await once(thread, 'message')) as [Texts];
  return texts;
}

const common = { method: 'get', tag: 'Description', roles: ROLES } as const;

async function answer(request: CallerRequest, textOf: (texts: Texts) => string): Promise<Reply> {
  // An empty transaction checks that the token's rights still hold.
  await request.runAll();
  cachedTexts ??= writeTexts();
  const texts = await cachedTexts.catch((error: unknown) => {
    cachedTexts = undefined;
    throw error;
  });
  const body = textOf(texts);
  // A browser may cache the text, but must ask each time whether it has changed.
  const headers = { ETag: weakTagOf(body), 'Cache-Control': 'private, no-cache' };
  return replyUnlessNotModified(request.incoming, { status: 200, body, headers });
}

const openapi = z.string().meta({ description: 'Version of OpenAPI that the description follows.' });
const labelText = z.string().meta({ description: 'What a screen in this language shows.' });
const label = z.strictObject({ fr: labelText, en: labelText }).meta({ id: 'WordLabel' });
const words = z
  .record(z.string(), z.record(z.string(), label))
  .meta({ id: 'Words', description: 'By the name that an enum has in the description, and by its word.' });

export const descriptionEndpoints = [
  endpoint({
    ...common,
    path: '/api-json',
    summary: 'Read the OpenAPI description of this interface',
    operationId: 'getDescription',
    resource: 'description',
    responses: { 200: z.looseObject({ openapi }).meta({ id: 'Description' }), 304: null },
    handle: (_input, request) => answer(request, ([description]) => description),
  }),
  endpoint({
    ...common,
    path: '/api/words',
    summary: 'Read the words of all enums in French and English, for screens',
    operationId: 'getWords',
    resource: 'words',
    responses: { 200: words, 304: null },
    handle: (_input, request) => answer(request, ([, words]) => words),
  }),
];
