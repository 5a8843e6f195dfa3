import { z } from 'zod';
import { endpoint } from '../http/endpoint.ts';
import type { Endpoint, PublicEndpoint } from '../http/endpoint.ts';
import { describeInterface } from '../http/openapi.ts';
import { tagOfText, unlessKnown } from '../http/preconditions.ts';
import { ROLES } from '../identity/caller.ts';

/** What each group of endpoints is about, as the description says it. */
export const TAGS: Readonly<Record<string, string>> = {
  Health: 'Whether the service can serve, for whoever watches it.',
  Authentication: 'Who the caller is: the identity provider’s token, and what it says.',
  Users: 'Who works with the service, in which role, and for which clients.',
  Clients: 'The companies whose taxes are claimed back; everything else belongs to one of them.',
  Sites: 'The places of a client that are taxed.',
  Cadastres: 'The parcels of the land register that a site has.',
  Reclamations: 'The claims, from the draft to the refund, and how each has moved.',
  Deadlines: 'What runs out when, of claims and invoices.',
  Documents: 'The files that are attached to a claim.',
  Partners: 'Who brings clients or works for them, and is paid for it.',
  Invoices: 'What the firm bills its clients.',
  'Partner invoices': 'What partners bill the firm; clients never see it.',
  Audit: 'What was written and what was refused, and whose request it was.',
  Description: 'This description.',
};

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
