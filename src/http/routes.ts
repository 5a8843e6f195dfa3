import type { Endpoint, PublicEndpoint } from './endpoint.ts';

/**
 * A path's pattern has no groups: Express would decode them, and would refuse a malformed escape before the service
 * checks the caller's role.
 */
export function createPathPattern(path: string): RegExp {
  const escapedPath = path.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escapedPath.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
}

export function createRouteFinder(endpoints: readonly Pick<Endpoint | PublicEndpoint, 'method' | 'path'>[]) {
  const routes = [
    ...[...Map.groupBy(endpoints, ({ path }) => path)].map(([path, endpointsOfPath]) => ({
      ...{ path, pattern: createPathPattern(path) },
      methods: endpointsOfPath.flatMap(({ method }) => (method === 'get' ? ['GET', 'HEAD'] : method.toUpperCase())),
    })),
    { path: '/docs', pattern: /^\/docs(?:\/|$)/, methods: ['GET', 'HEAD', 'POST'] },
  ];
  return (method: string, path: string) => {
    const matchingRoute = routes.find(({ pattern }) => pattern.test(path));
    // Method and path template become labels of metrics, so callers must not be able to add label values.
    return {
      route: matchingRoute?.path ?? 'none',
      method: matchingRoute?.methods.includes(method) ? method : 'other',
    };
  };
}
