import type { Endpoint, PublicEndpoint } from '../endpoint.ts';

const VERBS_BY_METHOD = { get: 'get', post: 'create', put: 'update', delete: 'delete' } as const;

/** For example, `GET /api/clients/{clientId}/reclamations` gets the operation id `listClientReclamations`. */
export function buildOperationId(endpoint: Endpoint | PublicEndpoint): string {
  const { method, path, operationId } = endpoint;
  if (operationId !== undefined) return operationId;
  const isList = 'list' in endpoint;
  const segments = path
    .replace(/^\/api/, '')
    .split('/')
    .slice(1);
  const nouns = segments.flatMap((segment, index) => {
    if (segment.startsWith('{')) return [];
    const isPlural = isList && index === segments.length - 1;
    return [toPascalCase(isPlural ? segment : toSingular(segment))];
  });
  return [isList ? 'list' : VERBS_BY_METHOD[method], ...nouns].join('');
}

function toSingular(segment: string): string {
  return segment.replace(/([^s])s$/, '$1');
}

export function buildRecordName(path: string, placeholder: string): string {
  const parent = path.split(`/{${placeholder}}`)[0]?.split('/').at(-1) ?? '';
  return toPascalCase(placeholder === 'id' ? toSingular(parent) : placeholder.replace(/Id$/, ''));
}

export function toSpacedWords(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter, at) => (at === 0 ? '' : ' ') + letter.toLowerCase());
}

function toPascalCase(name: string): string {
  return name.replaceAll(/(?:^|-)([a-z])/g, (_all, letter: string) => letter.toUpperCase());
}
