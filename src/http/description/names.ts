import type { Endpoint, PublicEndpoint } from '../endpoint.ts';

const VERBS = { get: 'get', post: 'create', put: 'update', delete: 'delete' } as const;

/** `GET /api/clients/{clientId}/reclamations` is `listClientReclamations`. */
export function operationIdOf(endpoint: Endpoint | PublicEndpoint): string {
  const { method, path, operationId } = endpoint;
  if (operationId !== undefined) return operationId;
  const isList = 'list' in endpoint;
  const segments = path
    .replace(/^\/api/, '')
    .split('/')
    .slice(1);
  const nouns = segments.flatMap((segment, index) => {
    if (isPlaceholder(segment)) return [];
    const isOfMany = isList && index === segments.length - 1;
    return [inCapitals(isOfMany ? segment : nounOf(segment))];
  });
  return [isList ? 'list' : VERBS[method], ...nouns].join('');
}

/** One of those that a segment of a path has: `partner-invoices` has a `partner-invoice`. */
function nounOf(segment: string): string {
  return segment.replace(/([^s])s$/, '$1');
}

/** The name of the record that a placeholder stands for: `{id}` for one of those before it, `{clientId}` for a client. */
export function recordNameOf(path: string, placeholder: string): string {
  const before = path.split(`/{${placeholder}}`)[0]?.split('/').at(-1) ?? '';
  return inCapitals(placeholder === 'id' ? nounOf(before) : placeholder.replace(/Id$/, ''));
}

/** A name as a sentence says it: `PartnerInvoice` is `partner invoice`. */
export function inWords(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter, at) => (at === 0 ? '' : ' ') + letter.toLowerCase());
}

function isPlaceholder(segment: string): boolean {
  return segment.startsWith('{');
}

function inCapitals(name: string): string {
  return name.replaceAll(/(?:^|-)([a-z])/g, (_all, letter: string) => letter.toUpperCase());
}
