import { z } from 'zod';
import { endpoint } from '../http/endpoint.ts';
import type { Endpoint, PublicEndpoint } from '../http/endpoint.ts';
import { describeInterface } from '../http/openapi.ts';
import { tagOfText, unlessKnown } from '../http/preconditions.ts';
import { ROLES } from '../identity/caller.ts';
import { TAGS } from './tags.ts';

type Endpoints = readonly (Endpoint | PublicEndpoint)[];

const texts = new WeakMap<Endpoints, string>();

/** The OpenAPI document as JSON. The first call holds the event loop for longer than a request may: a start makes it. */
export function descriptionOf(endpoints: Endpoints): string {
  const text = texts.get(endpoints) ?? JSON.stringify(describeInterface(endpoints, TAGS));
  texts.set(endpoints, text);
  return text;
}

/** The description of the interface; it describes itself too, hence the endpoints as a function. */
export function description(endpoints: () => Endpoints): Endpoint {
  return endpoint({
    method: 'get',
    path: '/api-json',
    summary: 'Read the OpenAPI description of this interface',
    operationId: 'getDescription',
    tag: 'Description',
    resource: 'description',
    roles: ROLES,
    responses: { 200: z.looseObject({ openapi: z.string() }).meta({ id: 'Description' }), 304: null },
    handle: async (_input, request) => {
      // Nothing is asked of the database but whether the token still holds.
      await request.runAll();
      const text = descriptionOf(endpoints());
      return unlessKnown(request.incoming, { status: 200, body: text, headers: { ETag: tagOfText(text) } });
    },
  });
}
