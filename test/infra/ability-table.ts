/**
 * Writes the tables of `docs/use/dashboard.md` that say what each role may do in the dashboard, and what each permission of an API key
 * is for. They follow from the rules of the roles, from the pages and actions of the dashboard, and from the routes of the API. Run it
 * with `npm run docs:roles` after a change.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { repositoryRoot } from '../../infra/local/handler.ts';
import { type Route, routes } from '../../shared/api/routes.ts';
import { modes } from '../../shared/base/ids.ts';
import { alternativesOf, permissions } from '../../shared/domain/auth/permissions.ts';
import {
  type Ability,
  abilities,
  isRolePermitted,
  needsNewSignIn,
  roles,
} from '../../shared/domain/users/roles.ts';
import type { DashboardAction } from '../../shared/web/dashboard/definitions.ts';

export const dashboardFile = join(repositoryRoot, 'docs', 'use', 'dashboard.md');

const begin = '<!-- abilities -->';
const end = '<!-- end of abilities -->';
const dashboard = join(repositoryRoot, 'shared', 'web', 'dashboard');

const names: Readonly<Record<Ability, string>> = {
  'account:read': 'see the pages',
  'invoices:write': 'manage invoices, drafts and schedules, and send mails',
  'invoices:force': 'change or cancel an invoice while a payment of it is in progress',
  'customers:write': 'manage customers',
  'products:write': 'manage products',
  'records:export': 'download lists and make exports',
  'payments:record':
    'record payments, write off differences up to the limit of the account, decide about claims, import bank statements and decide about their rows',
  'payments:void': 'void a payment',
  'refunds:create': 'refund a payment',
  'webhooks:write': 'manage webhook endpoints',
  'webhook-targets:write': 'choose the URL of a webhook endpoint',
  'webhook-secrets:read': 'see the secret of a webhook endpoint',
  'keys:write': 'manage API keys',
  'clock:write': 'move the clock of test mode',
  'providers:write': 'connect payment providers',
  'settings:write': 'change the settings of the account',
  'members:write': 'manage members',
  'audit-log:read': 'see the audit log',
  'membership:leave': 'leave the account',
};

interface Definition {
  readonly ability: Ability;
  /** Below the account and the mode. */
  readonly path: string;
  readonly isAction: boolean;
  /** What the action needs in addition, if a field of its form has a value. */
  readonly alsoNeeds?: DashboardAction['alsoNeeds'];
}

/** Returns the pages and actions of the dashboard: what the modules of its folder export, alone or in lists. */
export async function readDefinitions(): Promise<readonly Definition[]> {
  const files = readdirSync(dashboard, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  const found = new Map<string, Definition>();
  for (const file of files.toSorted()) {
    const exported: object = await import(pathToFileURL(join(dashboard, file)).href);
    for (const value of Object.values(exported).flat()) {
      if (!isDefinition(value)) continue;
      const isAction = 'formPage' in value;
      const { ability, path, alsoNeeds } = value;
      found.set(`${isAction} ${path}`, { ability, path, isAction, ...(alsoNeeds && { alsoNeeds }) });
    }
  }
  return [...found.values()];
}

const isDefinition = (value: unknown): value is Omit<Definition, 'isAction'> =>
  typeof value === 'object' && value !== null && 'ability' in value && 'path' in value && 'handle' in value;

/** Returns a text with both tables between their marks. @throws Error if the text does not have the marks */
export function withAbilityTables(text: string, definitions: readonly Definition[]): string {
  const [before, after] = [text.split(begin)[0], text.split(end)[1]];
  if (!before || !after) throw new Error(`The text must have ${begin} and ${end}, and text around them.`);
  return `${before}${begin}\n\n${roleTable(definitions)}\n\n${permissionTable()}\n\n${end}${after}`;
}

/** A row for each ability, from the weakest role to the strongest. Pages and actions are named by their addresses. */
function roleTable(definitions: readonly Definition[]): string {
  const columns = roles.toReversed();
  const rows = (Object.keys(abilities) as Ability[]).map((ability) => {
    const addresses = [...new Set(definitions.flatMap((each) => addressOf(each, ability)))].toSorted();
    return [names[ability], ...columns.map((role) => cellOf(role, ability)), addresses.join(' ') || '–'];
  });
  return toTable(['To', ...columns, 'Pages and actions'], rows);
}

/** Names a page or an action if it needs an ability: always, or with one value of a field. */
function addressOf({ ability, path, alsoNeeds: also }: Definition, needed: Ability): string[] {
  const address = `\`${path || '/'}\``;
  if (ability === needed) return [address];
  return also?.ability === needed ? [`${address} with \`${also.field}\` \`${also.value}\``] : [];
}

/** The modes in which a role has an ability. A star: it needs a new sign-in. */
function cellOf(role: (typeof roles)[number], ability: Ability): string {
  const permitted = modes.flatMap((mode) => {
    if (!isRolePermitted(role, ability, mode)) return [];
    return `${mode}${needsNewSignIn(ability, mode, 0, Number.MAX_SAFE_INTEGER) ? '\\*' : ''}`;
  });
  return permitted.join(', ') || '–';
}

/** A row for each permission, with the requests that need it. */
function permissionTable(): string {
  const all: readonly Route[] = Object.values(routes);
  const rows = permissions.map((permission) => {
    const requests = all.flatMap((route) => requestOf(route, permission));
    return [`\`${permission}\``, requests.join(', ') || '–'];
  });
  return toTable(['Permission of an API key', 'Requests'], rows);
}

/** Names a request if it needs a permission: always, instead of others, or with one value of a field. */
function requestOf(
  { method, path, permission: required, alsoRequires: also }: Route,
  permission: string,
): string[] {
  const request = `\`${method} ${path}\``;
  const alternatives: readonly string[] = alternativesOf(required);
  if (alternatives.includes(permission))
    return [alternatives.length > 1 ? `${request} (for what it may read)` : request];
  if (also?.permission !== permission) return [];
  return [`${request} with \`${also.field}\` \`${also.value}\``];
}

const toTable = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

if (import.meta.main)
  writeFileSync(
    dashboardFile,
    withAbilityTables(readFileSync(dashboardFile, 'utf8'), await readDefinitions()),
  );
