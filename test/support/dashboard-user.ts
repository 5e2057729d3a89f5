/** Signs a user in at the dashboard without the issuer: stores a session and gives its cookie to a visitor or a browser. */
import type { BrowserContext } from 'playwright-core';
import { localUsers } from '../../infra/local/local-users.ts';
import type { Stack } from '../../infra/local/stack.ts';
import type { Role } from '../../shared/domain/users/roles.ts';
import { newAccount, type TestAccount } from './api.ts';
import { addLocalMembers, createVisitor, type Visitor } from './dashboard-visitor.ts';

const cookie = '__Host-remit-session';

export interface DashboardAccount extends TestAccount {
  /** The path of a page in test mode, or in the given mode. */
  path(page: string, mode?: 'test' | 'live'): string;
}

/** Creates an account with a member of each role. */
export async function newDashboardAccount(stack: Stack): Promise<DashboardAccount> {
  const account = await newAccount(stack.baseUrl);
  await addLocalMembers(stack, account.accountId);
  return { ...account, path: (page, mode = 'test') => `/${account.accountId}/${mode}${page}` };
}

/**
 * Starts a session of a local user. Returns the session's id.
 * @param ageMs the time since the user signed in at the issuer
 */
export async function sessionOf({ dashboard }: Stack, role: Role, ageMs = 0): Promise<string> {
  const { startSession } = await import('../../shared/domain/users/session-store.ts');
  const { now } = await import('../../shared/base/time.ts');
  const identity = { issuer: dashboard?.issuer.url ?? '', ...localUsers[role] };
  return startSession(identity, { authenticatedAt: now() - ageMs, browser: 'test', now: now() }, undefined);
}

/** Returns a visitor who is signed in. The parameters are those of `sessionOf`. */
export async function signedIn(stack: Stack, role: Role = 'owner', ageMs = 0): Promise<Visitor> {
  const visitor = createVisitor(stack);
  visitor.cookies.set(cookie, await sessionOf(stack, role, ageMs));
  return visitor;
}

/** Signs a browser in. */
export async function signInBrowser(
  context: BrowserContext,
  stack: Stack,
  role: Role = 'owner',
  ageMs = 0,
): Promise<void> {
  const { hostname } = new URL(stack.dashboard?.url ?? '');
  const value = await sessionOf(stack, role, ageMs);
  const attributes = { secure: true, httpOnly: true, sameSite: 'Lax' } as const;
  await context.addCookies([{ name: cookie, value, domain: hostname, path: '/', ...attributes }]);
}
