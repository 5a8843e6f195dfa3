import { document } from '../support/described.ts';

export const FILE = new URL('../../docs/openapi.json', import.meta.url);

/** The description as docs/openapi.json has it, from which clients are generated without a service. */
export const written = `${JSON.stringify(document, null, 2)}\n`;
