import { document } from '../support/described.ts';

export const FILE = new URL('../../docs/openapi.json', import.meta.url);

/** The text of docs/openapi.json, from which API clients can be generated without a running service. */
export const written = `${JSON.stringify(document, null, 2)}\n`;
