/**
 * Finds the route of a request, as API Gateway does: literal segments before parameters, and the catch-all for
 * everything that no route takes.
 */
import { decodePercent } from './percent.ts';

/** What the gateway needs to know of an endpoint; `path` in API Gateway's syntax, `handler` a file. */
export interface Route {
  readonly method: string;
  readonly path: string;
  readonly handler: string;
}

export interface RouteMatch {
  readonly route: Route;
  /** Decoded; the catch-all's `proxy` is the raw rest of the path. */
  readonly pathParameters: Readonly<Record<string, string>>;
}

/** The catch-all's path. */
const catchAllPath = '/{proxy+}';

/** Makes a matcher of method and normalised raw path. Throws if the routes have no catch-all `ANY /{proxy+}`. */
export function routeTable(routes: readonly Route[]): (method: string, path: string) => RouteMatch {
  const catchAll = routes.find((route) => route.path === catchAllPath);
  if (!catchAll) throw new Error(`The routes have no ${catchAllPath}.`);
  const ordered = routes
    .filter((route) => route !== catchAll)
    .map((route) => ({ route, segments: route.path.split('/').slice(1) }))
    .sort((one, other) => bySpecificity(one.segments, other.segments));
  return (method, path) => {
    const segments = path.split('/').slice(1).map(decodePercent);
    for (const { route, segments: pattern } of ordered) {
      if (!takes(route.method, method)) continue;
      const pathParameters = matchSegments(pattern, segments);
      if (pathParameters) return { route, pathParameters };
    }
    return { route: catchAll, pathParameters: { proxy: path.replace(/^\//, '') } };
  };
}

/** A doubled leading slash and one trailing slash are forgiven. */
export function normalisePath(path: string): string {
  return path.replace(/^\/\//, '/').replace(/(?<=[^/])\/$/, '');
}

/** HEAD is GET without a body. */
function takes(routeMethod: string, method: string): boolean {
  return routeMethod === 'ANY' || routeMethod === (method === 'HEAD' ? 'GET' : method);
}

/** The parameters if every segment fits; a segment that cannot be decoded, or is empty, fits nothing. */
function matchSegments(
  pattern: readonly string[],
  segments: readonly (string | undefined)[],
): Record<string, string> | undefined {
  if (pattern.length !== segments.length) return undefined;
  const found: [string, string][] = [];
  for (const [index, expected] of pattern.entries()) {
    const actual = segments[index];
    const name = parameterName(expected);
    if (actual === undefined) return undefined;
    if (name === undefined ? actual !== expected : actual === '') return undefined;
    if (name !== undefined) found.push([name, actual]);
  }
  return Object.fromEntries(found);
}

function parameterName(segment: string): string | undefined {
  return /^\{(.+)\}$/.exec(segment)?.[1];
}

function bySpecificity(one: readonly string[], other: readonly string[]): number {
  for (const [index, segment] of one.entries()) {
    const difference = Number(isParameter(segment)) - Number(isParameter(other[index]));
    if (difference !== 0) return difference;
  }
  return 0;
}

function isParameter(segment: string | undefined): boolean {
  return segment !== undefined && parameterName(segment) !== undefined;
}
