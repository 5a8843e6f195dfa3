import type { Endpoint, PublicEndpoint } from './endpoint.ts';

/** The labels of a request in metrics; callers cannot add to them. */
export interface Route {
  readonly route: string;
  readonly method: string;
}

const NO_ROUTE = 'none';
const OTHER_METHOD = 'other';

/**
 * A pattern without groups, because Express would decode them before the role is checked, and a malformed escape would
 * be answered before the refusal.
 */
export function patternOf(path: string): RegExp {
  const literal = path.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&');
  return new RegExp(`^${literal.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
}

/** Finds the template of a path, also for a request that was refused before Express looked for it. */
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
