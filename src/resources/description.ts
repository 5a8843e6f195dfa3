import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { z } from 'zod';
import type { CallerRequest } from '../http/caller-request.ts';
import { endpoint } from '../http/endpoint.ts';
import type { EndpointReply } from '../http/envelope.ts';
import { createWeakEtag, replyUnlessNotModified } from '../http/preconditions.ts';
import { ROLES } from '../identity/caller.ts';

const WORKER_URL = new URL(`./description-worker${extname(import.meta.filename)}`, import.meta.url);

type Texts = readonly [description: string, words: string];

let cached: Promise<Texts> | undefined;

/** A worker thread writes the description, because the work would block the event loop and needs much memory. */
async function writeTexts(): Promise<Texts> {
  const worker = new Worker(WORKER_URL, { name: 'description', env: {}, execArgv: [] });
  const [texts] = (await once(worker, 'message')) as [Texts];
  return texts;
}

const descriptionOptions = { method: 'get', tag: 'Description', roles: ROLES } as const;

async function replyWithText(request: CallerRequest, textOf: (texts: Texts) => string): Promise<EndpointReply> {
  // A transaction without statements checks that the token's rights still hold, as every transaction does first.
  await request.runAll();
  cached ??= writeTexts();
  const texts = await cached.catch((error: unknown) => {
    cached = undefined;
    throw error;
  });
  const body = textOf(texts);
  // A browser may cache the text, but must ask each time whether it has changed.
  const headers = { ETag: createWeakEtag(body), 'Cache-Control': 'private, no-cache' };
  return replyUnlessNotModified(request.incoming, { status: 200, body, headers });
}

/** The address in `servers`, to which generated clients and /docs add the paths. */
const ROOT_SERVER = /("servers":\[\{"url":")\//;

const openapi = z.string().meta({ description: 'OpenAPI version of the description.' });
const labelText = z.string().meta({ description: 'Label in this language.' });
const wordLabel = z.strictObject({ fr: labelText, en: labelText }).meta({ id: 'WordLabel' });
const wordsByEnum = z
  .record(z.string(), z.record(z.string(), wordLabel))
  .meta({ id: 'Words', description: 'Labels by enum name and enum value.' });

export const descriptionEndpoints = [
  endpoint({
    ...descriptionOptions,
    path: '/api-json',
    summary: 'Get the OpenAPI description of this API',
    operationId: 'getDescription',
    resource: 'description',
    responses: { 200: z.looseObject({ openapi }).meta({ id: 'Description' }), 304: null },
    handle: (_input, request) =>
      replyWithText(request, ([description]) => description.replace(ROOT_SERVER, `$1${request.publicPath || '/'}`)),
  }),
  endpoint({
    ...descriptionOptions,
    path: '/api/words',
    summary: 'Get the French and English labels of all enums',
    operationId: 'getWords',
    resource: 'words',
    responses: { 200: wordsByEnum, 304: null },
    handle: (_input, request) => replyWithText(request, ([, words]) => words),
  }),
];
