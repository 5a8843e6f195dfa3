import type { Endpoint, PublicEndpoint } from './endpoint.ts';

/** What a request was for, in words that a caller cannot add to. */
export interface Route {
  readonly route: string;
  readonly method: string;
}

/** For whatever path no endpoint has, and for whatever method its route has not. */
const NO_ROUTE = 'none';
const OTHER_METHOD = 'other';

/**
 * What a path of ours matches. A pattern without groups, because Express would decode them before the caller's role is
 * looked at, and a malformed escape would come before the refusal: `readInput` decodes them in its turn.
 */
export function patternOf(path: string): RegExp {
  const literal = path.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&');
  return new RegExp(`^${literal.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
}

/** Finds the template that a path was declared with, also for a request that was refused before Express looked for it. */
export function routesOf(
  endpoints: readonly Pick<Endpoint | PublicEndpoint, 'method' | 'path'>[],
): (method: string, path: string) => Route {
  const routes = [
    ...[...Map.groupBy(endpoints, ({ path }) => path)].map(([path, onPath]) => ({
      ...{ path, pattern: patternOf(path) },
      methods: onPath.flatMap(({ method }) => (method === 'get' ? ['GET', 'HEAD'] : method.toUpperCase())),
    })),
    { path: '/docs', pattern: /^\/docs(?:\/|$)/, methods: ['GET', 'HEAD', 'POST'] },
  ];
  return (method, path) => {
    const found = routes.find(({ pattern }) => pattern.test(path));
    const isOfRoute = found?.methods.includes(method) === true;
    return { route: found?.path ?? NO_ROUTE, method: isOfRoute ? method : OTHER_METHOD };
  };
}
