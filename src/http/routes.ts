import type { Endpoint, PublicEndpoint } from './endpoint.ts';

/** What a request was for, in words that a caller cannot add to. */
export interface Route {
  readonly route: string;
  readonly method: string;
}

/** For whatever path no endpoint has, and for whatever method its route has not. */
export const NO_ROUTE = 'none';
export const OTHER_METHOD = 'other';
const DOCS = '/docs';

interface Node {
  readonly fixed: Map<string, Node>;
  parameter?: Node;
  path?: string;
  readonly methods: Set<string>;
}

/** Finds the template that a path was declared with, as Express would, also for a request that was refused before that. */
export function routesOf(
  endpoints: readonly Pick<Endpoint | PublicEndpoint, 'method' | 'path'>[],
): (method: string, path: string) => Route {
  const root = newNode();
  for (const { method, path } of endpoints) {
    let node = root;
    for (const part of path.split('/')) {
      const next: Node = (part.startsWith('{') ? node.parameter : node.fixed.get(part)) ?? newNode();
      if (part.startsWith('{')) node.parameter = next;
      else node.fixed.set(part, next);
      node = next;
    }
    node.path = path;
    node.methods.add(method.toUpperCase());
    if (method === 'get') node.methods.add('HEAD');
  }
  const docs: Node = { ...newNode(), path: DOCS, methods: new Set(['GET', 'HEAD', 'POST']) };
  return (method, path) => {
    const node = path === DOCS || path.startsWith(`${DOCS}/`) ? docs : find(root, path.split('/'));
    return {
      route: node?.path ?? NO_ROUTE,
      method: node?.methods.has(method) === true ? method : OTHER_METHOD,
    };
  };
}

function newNode(): Node {
  return { fixed: new Map(), methods: new Set() };
}

/** A fixed part is tried before a parameter, which takes any part but an empty one. */
function find(node: Node, parts: readonly string[]): Node | undefined {
  const [part, ...others] = parts;
  if (part === undefined) return node.path === undefined ? undefined : node;
  const fixed = node.fixed.get(part);
  const found = fixed && find(fixed, others);
  if (found !== undefined || part === '' || node.parameter === undefined) return found;
  return find(node.parameter, others);
}
