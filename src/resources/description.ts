import { z } from 'zod';
import { endpoint } from '../http/endpoint.ts';
import type { Endpoint, PublicEndpoint } from '../http/endpoint.ts';
import { describeInterface } from '../http/openapi.ts';
import { tagOfText, unlessKnown } from '../http/preconditions.ts';
import { ROLES } from '../identity/caller.ts';
import { TAGS } from './tags.ts';

/** The description of the interface; it describes itself too, hence the endpoints as a function. */
export function description(endpoints: () => readonly (Endpoint | PublicEndpoint)[]): Endpoint {
  let text: string | undefined;
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
      text ??= JSON.stringify(describeInterface(endpoints(), TAGS));
      return unlessKnown(request.incoming, { status: 200, body: text, headers: { ETag: tagOfText(text) } });
    },
  });
}
