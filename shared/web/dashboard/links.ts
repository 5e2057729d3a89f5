/** Makes every link of the dashboard. API Gateway's own address has the stage in its path, so links need the base path. */
/** Makes links from paths that begin with a slash. */
export interface Links {
  /** The base URL of the dashboard, without a trailing slash. */
  readonly base: string;
  /** Returns the link to a path that belongs to no account, for example `/sign-in`. */
  readonly rootUrl: (path: string) => string;
}

/** Makes the links of the dashboard at `base`, an absolute URL without a trailing slash. */
export function createLinks(base: string): Links {
  const basePath = new URL(base).pathname.replace(/\/$/, '');
  return { base, rootUrl: (path) => `${basePath}${path}` };
}

/** The page of the clock of test mode, below `/{account}/{mode}`. */
export const clockPath = '/clock';

/**
 * Returns `path` if it is a path of the dashboard, and `/` otherwise. So nobody can make the dashboard send a user to
 * another site.
 */
export function safeReturnPath(path: string | undefined): string {
  if (path === undefined || path.length > 1000 || !/^\/(?![/\\])[!-~]*$/.test(path) || path.includes('\\'))
    return '/';
  return path;
}
