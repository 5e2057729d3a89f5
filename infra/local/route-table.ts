/**
 * Finds the route of a request as API Gateway does. Literal segments have precedence over parameters, and parameters over
 * greedy ones such as `{proxy+}`.
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
  /** The decoded parameters. A greedy parameter is in its raw form. */
  readonly pathParameters: Readonly<Record<string, string>>;
}

/**
 * Creates a function that finds the route of a method and a normalized raw path. It returns undefined if no route serves
 * them.
 */
export function createRouteMatcher(
  routes: readonly LocalRoute[],
): (method: string, path: string) => RouteMatch | undefined {
  const ordered = routes
    .map((route) => ({ route, segments: route.path.split('/').slice(1) }))
    .sort((one, other) => compareSpecificity(one.segments, other.segments));
  return (method, path) => {
    // The target of `OPTIONS *` has no slash.
    const rawSegments = path.replace(/^\//, '').split('/');
    for (const { route, segments: pattern } of ordered) {
      if (!acceptsMethod(route.method, method)) continue;
      const pathParameters = matchSegments(pattern, rawSegments);
      if (pathParameters) return { route, pathParameters };
    }
    return undefined;
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
 * empty segment matches no parameter. A greedy parameter takes the rest of the path in its raw form.
 */
function matchSegments(
  pattern: readonly string[],
  rawSegments: readonly string[],
): Record<string, string> | undefined {
  const greedy = greedyName(pattern.at(-1));
  const exact = greedy === undefined ? pattern : pattern.slice(0, -1);
  if (greedy === undefined ? rawSegments.length !== exact.length : rawSegments.length <= exact.length)
    return undefined;
  const found: [string, string][] = [];
  for (const [index, expected] of exact.entries()) {
    const actual = decodePercent(rawSegments[index] ?? '');
    const name = parameterName(expected);
    if (actual === undefined) return undefined;
    if (name === undefined ? actual !== expected : actual === '') return undefined;
    if (name !== undefined) found.push([name, actual]);
  }
  if (greedy !== undefined) found.push([greedy, rawSegments.slice(exact.length).join('/')]);
  return Object.fromEntries(found);
}

function parameterName(segment: string): string | undefined {
  return /^\{(.+)\}$/.exec(segment)?.[1];
}

function greedyName(segment: string | undefined): string | undefined {
  return /^\{(.+)\+\}$/.exec(segment ?? '')?.[1];
}

/** Literal segments come first, then parameters, then greedy parameters. */
function compareSpecificity(one: readonly string[], other: readonly string[]): number {
  for (const [index, segment] of one.entries()) {
    const difference = rankOf(segment) - rankOf(other[index]);
    if (difference !== 0) return difference;
  }
  return 0;
}

function rankOf(segment: string | undefined): number {
  if (greedyName(segment) !== undefined) return 2;
  return segment !== undefined && parameterName(segment) !== undefined ? 1 : 0;
}
