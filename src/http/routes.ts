import type { Endpoint, PublicEndpoint } from './endpoint.ts';

/**
 * A path's pattern has no groups: Express would decode them, and would refuse a malformed escape before the service
 * checks the caller's role.
 */
export function createPathPattern(path: string): RegExp {
  const escaped = path.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
}

export function createRouteFinder(endpoints: readonly Pick<Endpoint | PublicEndpoint, 'method' | 'path'>[]) {
  const routes = [
    ...[...Map.groupBy(endpoints, ({ path }) => path)].map(([path, group]) => ({
      path,
      pattern: createPathPattern(path),
      methods: group.flatMap(({ method }) => (method === 'get' ? ['GET', 'HEAD'] : method.toUpperCase())),
    })),
    { path: '/docs', pattern: /^\/docs(?:\/|$)/, methods: ['GET', 'HEAD', 'POST'] },
  ];
  return (method: string, path: string) => {
    const route = routes.find(({ pattern }) => pattern.test(path));
    // Method and path template become labels of metrics, so callers must not be able to add label values.
    return { route: route?.path ?? 'none', method: route?.methods.includes(method) ? method : 'other' };
  };
}
