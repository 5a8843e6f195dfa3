import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { z } from 'zod';
import type { CallerRequest } from '../http/caller-request.ts';
import { endpoint } from '../http/endpoint.ts';
import type { EndpointReply } from '../http/envelope.ts';
import { createWeakEtag, replyUnlessNotModified } from '../http/preconditions.ts';
import { ROLES } from '../identity/caller.ts';

const DESCRIPTION_WORKER_URL = new URL(`./description-worker${extname(import.meta.filename)}`, import.meta.url);

type ApiDescriptionTexts = readonly [description: string, words: string];

let cachedDescriptionTexts: Promise<ApiDescriptionTexts> | undefined;

/**
 * A worker thread writes the OpenAPI description for the first caller: the work would block the event loop for long,
 * and needs much memory.
 */
async function writeDescriptionTexts(): Promise<ApiDescriptionTexts> {
  const descriptionWorker = new Worker(DESCRIPTION_WORKER_URL, {
    name: 'description',
    env: {},
    execArgv: [],
  });
  const [descriptionTexts] = (await once(descriptionWorker, 'message')) as [ApiDescriptionTexts];
  return descriptionTexts;
}

const descriptionEndpointOptions = { method: 'get', tag: 'Description', roles: ROLES } as const;

async function replyWithText(
  request: CallerRequest,
  textOf: (descriptionTexts: ApiDescriptionTexts) => string,
): Promise<EndpointReply> {
  // A transaction without statements checks that the token's rights still hold, as every transaction does first.
  await request.runAll();
  cachedDescriptionTexts ??= writeDescriptionTexts();
  const descriptionTexts = await cachedDescriptionTexts.catch((error: unknown) => {
    cachedDescriptionTexts = undefined;
    throw error;
  });
  const body = textOf(descriptionTexts);
  // A browser may cache the text, but must ask each time whether it has changed.
  const headers = { ETag: createWeakEtag(body), 'Cache-Control': 'private, no-cache' };
  return replyUnlessNotModified(request.incoming, { status: 200, body, headers });
}

const openapi = z.string().meta({ description: 'Version of OpenAPI that the description follows.' });
const labelTextSchema = z.string().meta({ description: 'What a screen in this language shows.' });
const wordLabelSchema = z.strictObject({ fr: labelTextSchema, en: labelTextSchema }).meta({ id: 'WordLabel' });
const wordsSchema = z
  .record(z.string(), z.record(z.string(), wordLabelSchema))
  .meta({ id: 'Words', description: 'By the name that an enum has in the description, and by its word.' });

export const descriptionEndpoints = [
  endpoint({
    ...descriptionEndpointOptions,
    path: '/api-json',
    summary: 'Read the OpenAPI description of this interface',
    operationId: 'getDescription',
    resource: 'description',
    responses: { 200: z.looseObject({ openapi }).meta({ id: 'Description' }), 304: null },
    handle: (_input, request) => replyWithText(request, ([description]) => description),
  }),
  endpoint({
    ...descriptionEndpointOptions,
    path: '/api/words',
    summary: 'Read the words of all enums in French and English, for screens',
    operationId: 'getWords',
    resource: 'words',
    responses: { 200: wordsSchema, 304: null },
    handle: (_input, request) => replyWithText(request, ([, words]) => words),
  }),
];
