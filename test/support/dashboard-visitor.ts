/** Uses the dashboard over HTTP as a browser does: it keeps cookies, follows redirects and sends forms. */
import { type LocalUser, localUsers } from '../../infra/local/local-users.ts';
import type { Stack } from '../../infra/local/stack.ts';
import type { Role } from '../../shared/domain/users/roles.ts';
import { type HttpResponse, request } from './http.ts';

/** A response with the URL that sent it. */
export interface VisitedPage extends HttpResponse {
  readonly url: string;
}

/** One browser. Cookies belong to an origin, as those with `__Host-` do. */
export interface Visitor {
  /** The cookies of the dashboard, by name. Tests read and replace them. */
  readonly cookies: Map<string, string>;
  /** Requests a path of the dashboard, or a URL, without following redirects. */
  get(path: string): Promise<VisitedPage>;
  /** Follows redirects from a path of the dashboard, or a URL, until a page. */
  open(path: string): Promise<VisitedPage>;
  /** Sends a form. The headers of a browser's form are the default. */
  post(
    path: string,
    fields: Readonly<Record<string, string>> | [name: string, value: string][],
    headers?: Readonly<Record<string, string>>,
  ): Promise<VisitedPage>;
  /** Sends a form with a file, as `multipart/form-data`. */
  postFile(
    path: string,
    fields: Readonly<Record<string, string>>,
    file: { readonly name: string; readonly bytes: Uint8Array },
  ): Promise<VisitedPage>;
  /** Sends the form of a page that goes to `action`, with what it shows and with `fields`. */
  submit(
    page: VisitedPage,
    action: string | RegExp,
    fields?: Readonly<Record<string, string>>,
  ): Promise<VisitedPage>;
  /** Begins a sign-in, and chooses a user on the issuer's page. Returns the redirect of the issuer to the dashboard. */
  signInUntilCallback(user: LocalUser, start?: string): Promise<string>;
  /** Signs a user in. Returns the page after that. */
  signIn(user: LocalUser, start?: string): Promise<VisitedPage>;
}

const fromOwnPage = { 'Sec-Fetch-Site': 'same-origin', Origin: 'null' };

/** Creates a browser without cookies. */
export function createVisitor({ dashboard }: Pick<Stack, 'dashboard'>): Visitor {
  if (!dashboard) throw new Error('The stack has no dashboard.');
  const dashboardOrigin = new URL(dashboard.url).origin;
  const jars = new Map<string, Map<string, string>>();
  const jarOf = (origin: string) => {
    const jar = jars.get(origin) ?? new Map<string, string>();
    jars.set(origin, jar);
    return jar;
  };

  const send = async (
    method: string,
    path: string,
    headers: Readonly<Record<string, string>> = {},
    body?: string | Buffer,
  ): Promise<VisitedPage> => {
    const url = new URL(path, dashboard.url);
    const jar = jarOf(url.origin);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await request({
      baseUrl: url.origin,
      method,
      path: `${url.pathname}${url.search}`,
      headers: { ...(cookie && { Cookie: cookie }), ...headers },
      ...(body !== undefined && { body }),
    });
    for (const line of setCookieLines(response)) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') jar.delete(name);
      else jar.set(name, value);
    }
    return { ...response, url: url.href };
  };

  const follow = async (page: VisitedPage): Promise<VisitedPage> => {
    let current = page;
    for (let count = 0; count < 20 && current.status === 303; count++)
      current = await send('GET', new URL(current.headers.location ?? '', current.url).href);
    return current;
  };

  const visitor: Visitor = {
    cookies: jarOf(dashboardOrigin),
    get: (path) => send('GET', path),
    open: async (path) => follow(await send('GET', path)),
    postFile: async (path, fields, { name, bytes }) => {
      const form = new FormData();
      for (const [field, value] of Object.entries(fields)) form.append(field, value);
      form.append(name, new Blob([Buffer.from(bytes)]), bytes.length > 0 ? 'file' : '');
      const sent = new Response(form);
      const headers = { ...fromOwnPage, 'Content-Type': sent.headers.get('content-type') ?? '' };
      return send('POST', path, headers, Buffer.from(await sent.arrayBuffer()));
    },
    post: (path, fields, headers = fromOwnPage) =>
      send(
        'POST',
        path,
        { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
        new URLSearchParams(fields).toString(),
      ),
    submit: (page, action, fields) => {
      const form = formsOf(page).find((each) =>
        typeof action === 'string' ? each.action.endsWith(action) : action.test(each.action),
      );
      if (!form) throw new Error(`The page has no form to ${action}: ${page.status} ${page.text}`);
      return visitor.post(form.action, { ...form.initial, ...fields });
    },
    signInUntilCallback: async (user, start = '/sign-in/start') => {
      let page = await send('GET', start);
      for (let count = 0; count < 20; count++) {
        if (page.status === 200)
          page = await visitor.post(new URL(actionOf(page), page.url).href, { user: user.subject });
        const next = new URL(page.headers.location ?? '', page.url).href;
        if (new URL(next).origin === dashboardOrigin) return next;
        page = await send('GET', next);
      }
      throw new Error('The issuer did not return to the dashboard.');
    },
    signIn: async (user, start) => visitor.open(await visitor.signInUntilCallback(user, start)),
  };
  return visitor;
}

interface FormInPage {
  readonly action: string;
  /** What a browser sends if the user changes nothing, without check boxes. */
  readonly initial: Readonly<Record<string, string>>;
}

/** Returns the forms of a page. */
export function formsOf({ text }: HttpResponse): FormInPage[] {
  return [...text.matchAll(/<form method="post" action="([^"]*)"[\s\S]*?<\/form>/g)].map(
    ([form, action = '']) => ({
      action: action.replaceAll('&amp;', '&'),
      initial: Object.fromEntries([...inputsOf(form), ...textAreasOf(form), ...selectsOf(form)]),
    }),
  );
}

type Entry = readonly [name: string, value: string];

function inputsOf(form: string): Entry[] {
  return [...form.matchAll(/<input ([^>]*)>/g)].flatMap(([, attributes = '']): Entry[] => {
    const type = attributeOf(attributes, 'type');
    if (type === 'checkbox' || (type === 'radio' && !/ checked\b/.test(attributes))) return [];
    return [[attributeOf(attributes, 'name'), attributeOf(attributes, 'value')]];
  });
}

const textAreasOf = (form: string): Entry[] =>
  [...form.matchAll(/<textarea ([^>]*)>([^<]*)</g)].map(([, attributes = '', value = '']) => [
    attributeOf(attributes, 'name'),
    decodeCharacters(value),
  ]);

/** A browser selects the first choice if the page selects none. */
const selectsOf = (form: string): Entry[] =>
  [...form.matchAll(/<select ([^>]*)>([\s\S]*?)<\/select>/g)].map(([, attributes = '', choices = '']) => {
    const [, selected] = /<option ([^>]*) selected>/.exec(choices) ?? /<option ([^>]*)>/.exec(choices) ?? [];
    return [attributeOf(attributes, 'name'), attributeOf(selected ?? '', 'value')];
  });

const attributeOf = (attributes: string, name: string): string =>
  decodeCharacters(new RegExp(`\\b${name}="([^"]*)"`).exec(attributes)?.[1] ?? '');

const characters: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };
const decodeCharacters = (text: string) =>
  text.replace(/&(lt|gt|quot|#39|amp);/g, (_, name) => characters[name] ?? '');

/** Returns the title of a page. */
export function headingOf({ text }: HttpResponse): string {
  return /<h1>([^<]*)<\/h1>/.exec(text)?.[1] ?? '';
}

/** Makes users members of an account, each in the role of its name. */
export async function addLocalMembers(
  { dashboard }: Pick<Stack, 'dashboard'>,
  account: string,
  added: readonly Role[] = ['owner', 'developer', 'bookkeeper', 'viewer'],
): Promise<void> {
  const { changeMembers } = await import('../../shared/domain/users/member-store.ts');
  const { userIdOf } = await import('../../shared/domain/users/session.ts');
  const issuer = dashboard?.issuer.url ?? '';
  const members = added.map((role) => {
    const { subject, email } = localUsers[role];
    return { user: userIdOf({ issuer, subject }), issuer, subject, email, role, since: Date.now() };
  });
  await changeMembers(account, (current) => ({ ...current, members: [...current.members, ...members] }));
}

/** The options of a test stack with a dashboard. */
export const withDashboard = (users: readonly LocalUser[] = []) => ({
  dashboard: { port: 0, issuerPort: 0, users: [...Object.values(localUsers), ...users] },
});

const setCookieLines = ({ rawHeaders }: HttpResponse) =>
  rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === 'set-cookie');

const actionOf = ({ text }: HttpResponse) => /<form [^>]*action="([^"]*)"/.exec(text)?.[1] ?? '';
