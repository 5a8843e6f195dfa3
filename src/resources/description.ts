import { z } from 'zod';
import { endpoint, type Endpoint, type PublicEndpoint } from '../http/endpoint.ts';
import { describeInterface } from '../http/openapi.ts';
import { tagOfText, unlessKnown } from '../http/preconditions.ts';
import { ROLES } from '../identity/caller.ts';

/** The first `descriptionText` holds the event loop too long for a request: the start calls it. */
export function describing(
  endpoints: () => readonly (Endpoint | PublicEndpoint)[],
  tags: Readonly<Record<string, string>>,
) {
  let known: string | undefined;
  const descriptionText = (): string => (known ??= JSON.stringify(describeInterface(endpoints(), tags)));
  const readDescription = endpoint({
    method: 'get',
    path: '/api-json',
    summary: 'Read the OpenAPI description of this interface',
    operationId: 'getDescription',
    tag: 'Description',
    resource: 'description',
    roles: ROLES,
    responses: { 200: z.looseObject({ openapi: z.string() }).meta({ id: 'Description' }), 304: null },
    handle: async (_input, request) => {
      // An empty transaction checks that the token's rights still hold.
      await request.runAll();
      const text = descriptionText();
      return unlessKnown(request.incoming, { status: 200, body: text, headers: { ETag: tagOfText(text) } });
    },
  });
  return { descriptionText, readDescription };
}
