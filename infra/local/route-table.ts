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
    .map((route) => ({ route, pattern: route.path.split('/').slice(1).map(parseSegment) }))
    .sort((one, other) => compareSpecificity(one.pattern, other.pattern));
  return (method, path) => {
    // The target of `OPTIONS *` has no slash.
    const rawSegments = path.replace(/^\//, '').split('/');
    for (const { route, pattern } of ordered) {
      if (!acceptsMethod(route.method, method)) continue;
      const pathParameters = matchSegments(pattern, rawSegments);
      if (pathParameters) return { route, pathParameters };
    }
    return undefined;
  };
}

/** A segment of the path of a route. A parameter has a name, and a greedy one matches the rest of a path. */
interface Segment {
  readonly text: string;
  readonly kind: 'literal' | 'parameter' | 'greedy';
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
  pattern: readonly Segment[],
  rawSegments: readonly string[],
): Record<string, string> | undefined {
  const isGreedy = pattern.at(-1)?.kind === 'greedy';
  if (isGreedy ? rawSegments.length < pattern.length : rawSegments.length !== pattern.length)
    return undefined;
  const found: Record<string, string> = {};
  for (const [index, { kind, text }] of pattern.entries()) {
    if (kind === 'greedy') {
      found[text] = rawSegments.slice(index).join('/');
      continue;
    }
    const actual = decodePercent(rawSegments[index] ?? '');
    if (actual === undefined) return undefined;
    if (kind === 'literal' ? actual !== text : actual === '') return undefined;
    if (kind === 'parameter') found[text] = actual;
  }
  return found;
}

function parseSegment(segment: string): Segment {
  const [, name, plus] = /^\{(.+?)(\+?)\}$/.exec(segment) ?? [];
  if (name === undefined) return { kind: 'literal', text: segment };
  return { kind: plus ? 'greedy' : 'parameter', text: name };
}

/** Literal segments come first, then parameters, then greedy parameters. */
function compareSpecificity(one: readonly Segment[], other: readonly Segment[]): number {
  for (const [index, segment] of one.entries()) {
    const difference = rankOf(segment) - rankOf(other[index]);
    if (difference !== 0) return difference;
  }
  return 0;
}

const rankOf = (segment: Segment | undefined) =>
  segment ? ['literal', 'parameter', 'greedy'].indexOf(segment.kind) : 0;
