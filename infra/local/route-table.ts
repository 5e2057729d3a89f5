/**
 * Finds the route of a request as API Gateway does. Literal segments have precedence over parameters. Requests without
 * a matching route go to the catch-all.
 */
import { decodePercent } from './percent.ts';

/** A route of the gateway. `path` uses the syntax of API Gateway, and `handler` is a file. */
export interface LocalRoute {
  readonly method: string;
  readonly path: string;
  readonly handler: string;
}

export interface RouteMatch {
  readonly route: LocalRoute;
  /** The decoded parameters. The catch-all's `proxy` is the path in its raw form. */
  readonly pathParameters: Readonly<Record<string, string>>;
}

const catchAllPath = '/{proxy+}';

/**
 * Creates a function that finds the route of a method and a normalized raw path.
 * @throws Error if the routes have no catch-all `ANY /{proxy+}`
 */
export function createRouteMatcher(
  routes: readonly LocalRoute[],
): (method: string, path: string) => RouteMatch {
  const catchAll = routes.find((route) => route.path === catchAllPath);
  if (!catchAll) throw new Error(`The routes have no catch-all. Add the route ANY ${catchAllPath}.`);
  const ordered = routes
    .filter((route) => route !== catchAll)
    .map((route) => ({ route, segments: route.path.split('/').slice(1) }))
    .sort((one, other) => compareSpecificity(one.segments, other.segments));
  return (method, path) => {
    const segments = path.split('/').slice(1).map(decodePercent);
    for (const { route, segments: pattern } of ordered) {
      if (!acceptsMethod(route.method, method)) continue;
      const pathParameters = matchSegments(pattern, segments);
      if (pathParameters) return { route, pathParameters };
    }
    return { route: catchAll, pathParameters: { proxy: path.replace(/^\//, '') } };
  };
}

/** Removes one trailing slash, and one of two leading slashes. */
export function normalizePath(path: string): string {
  return path.replace(/^\/\//, '/').replace(/(?<=[^/])\/$/, '');
}

/** Returns true if a route serves a method. A GET route also serves HEAD. */
function acceptsMethod(routeMethod: string, method: string): boolean {
  return routeMethod === 'ANY' || routeMethod === (method === 'HEAD' ? 'GET' : method);
}

/**
 * Returns the parameters if every segment matches, else undefined. A segment that cannot be decoded never matches. An
 * empty segment matches no parameter.
 */
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

function compareSpecificity(one: readonly string[], other: readonly string[]): number {
  for (const [index, segment] of one.entries()) {
    const difference = Number(isParameter(segment)) - Number(isParameter(other[index]));
    if (difference !== 0) return difference;
  }
  return 0;
}

function isParameter(segment: string | undefined): boolean {
  return segment !== undefined && parameterName(segment) !== undefined;
}
