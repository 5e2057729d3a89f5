/** Shows the members and open invitations of an account. Owners also see the forms that change them. */
import { html } from 'hono/html';
import { accountPath } from '../../../domain/users/dashboard-paths.ts';
import { readMembers } from '../../../domain/users/member-store.ts';
import {
  type AccountMembers,
  findMember,
  type Invitation,
  type Member,
  openInvitations,
} from '../../../domain/users/members.ts';
import { roles } from '../../../domain/users/roles.ts';
import type { Markup } from '../../pages/markup.ts';
import { renderSignInButton } from '../base-app.ts';
import type { DashboardContext } from '../context.ts';
import type { DashboardPage, DashboardView } from '../definitions.ts';
import { renderBadge, renderDefinitions, renderTable } from '../elements.ts';
import { renderButtonsForm, renderErrors, renderField, renderForm, renderSelect } from '../forms.ts';
import { frameTexts, roleTexts } from '../texts.ts';
import { renderTime } from '../times.ts';
import { membersTexts as texts } from './members-texts.ts';

/** The path of the page, below the account and mode. */
export const membersPath = '/settings/members';

/** What a failed form shows again. */
export interface FailedMembersForm {
  /** The invitation's fields, as they were typed. */
  readonly email?: string;
  readonly role?: string;
  readonly attempt?: string;
  /** By field. An error of another form is under `members`. */
  readonly errors: Readonly<Record<string, string>>;
}

export const membersPage: DashboardPage = {
  path: membersPath,
  ability: 'account:read',
  handle: async ({ context }) => renderMembers(context, await readMembers(context.account)),
};

const roleChoices = [...roles].reverse().map((role) => [role, roleTexts[role].name] as const);

const rolesHint = `${[...roles]
  .reverse()
  .map((role) => `${roleTexts[role].name}: ${roleTexts[role].hint}`)
  .join('. ')}.`;

/** Renders the page. */
export function renderMembers(
  context: DashboardContext,
  members: AccountMembers,
  failed?: FailedMembersForm,
): DashboardView {
  const isOwner = context.can('members:write');
  const mustSignIn = isOwner && context.needsNewSignIn('members:write');
  const canChange = isOwner && !mustSignIn;
  const returnPath = accountPath(context.account, context.mode, membersPath);
  const content = html`${renderErrors(failed?.errors ?? {})}
${mustSignIn && html`<section class="card"><p>${texts.signInAgain}</p>${renderSignInButton(context, returnPath, { text: frameTexts.signInAgain, isNew: true })}</section>`}
<section class="card" id="members">${renderMemberTable(context, members, canChange)}${renderLeaveForm(context)}</section>
${isOwner && renderInvitations(context, openInvitations(members, context.now), canChange)}
${canChange && renderInvitationForm(context, failed)}`;
  return { title: texts.title, section: 'settings', content };
}

/**
 * Renders the link of a new invitation, which is shown once.
 * @param user where the person has a user: in the user pool of the deployment, or at another issuer
 */
export function renderNewInvitation(
  context: DashboardContext,
  email: string,
  link: string,
  user: keyof typeof texts.created.users,
): DashboardView {
  const content = html`<section class="card"><p>${texts.created.explanation(email)}</p>
<code class="secret" tabindex="0">${link}</code>
<p>${texts.created.users[user](email)}</p>
<p><a class="button plain" href="${context.url(membersPath)}">${texts.created.done}</a></p></section>`;
  return { title: texts.created.title, section: 'settings', content };
}

/** Shows the forms that change one member. */
export const memberPage: DashboardPage = {
  path: `${membersPath}/:user`,
  ability: 'members:write',
  handle: async ({ context, params }) => {
    const member = findMember(await readMembers(context.account), params.user ?? '');
    return member && renderMember(context, member);
  },
};

function renderMember(context: DashboardContext, { user, email, role, since }: Member): DashboardView {
  const path = `${membersPath}/${user}`;
  const roleForm = renderForm(context, {
    action: context.url(`${path}/role`),
    content: renderSelect({
      name: 'role',
      label: texts.role,
      value: role,
      hint: rolesHint,
      choices: roleChoices,
    }),
    submit: texts.changeRole,
  });
  const removeForm = renderForm(context, {
    action: context.url(`${path}/remove`),
    submit: texts.remove,
    style: 'danger',
  });
  const content = html`<section class="card">${renderDefinitions([
    [texts.email, html`<bdi>${email}</bdi>`],
    [texts.since, renderTime(context, since)],
  ])}${roleForm}</section><section class="card"><p>${texts.removeHint}</p>${removeForm}</section>`;
  return { title: texts.member, section: 'settings', content };
}

function renderMemberTable(
  context: DashboardContext,
  { members }: AccountMembers,
  canChange: boolean,
): Markup {
  const columns = [texts.email, texts.role, texts.since].map((title) => ({ title }));
  const rows = members.map(({ user, email, role, since }) => {
    const name = html`<bdi>${email}</bdi>`;
    const link = canChange ? html`<a href="${context.url(`${membersPath}/${user}`)}">${name}</a>` : name;
    return [
      html`${link} ${user === context.user.id && renderBadge(texts.you, 'good')}`,
      roleTexts[role].name,
      renderTime(context, since),
    ];
  });
  return renderTable(texts.table, columns, rows);
}

function renderLeaveForm(context: DashboardContext): Markup {
  return renderForm(context, {
    action: context.url(`${membersPath}/leave`),
    submit: texts.leave,
    style: 'danger small',
  });
}

/** All buttons belong to one form, because a form in each row would make the page large. */
function renderInvitations(
  context: DashboardContext,
  invitations: readonly Invitation[],
  canChange: boolean,
): Markup | '' {
  if (invitations.length === 0) return '';
  const { title, ends, withdraw, withdrawFor, actions } = texts.invitations;
  const columns = [texts.email, ...(canChange ? [actions] : []), texts.role, ends].map((each) => ({
    title: each,
  }));
  const rows = invitations.map(({ id, email, role, endsAt }) => [
    html`<bdi>${email}</bdi>`,
    ...(canChange
      ? [
          html`<button class="danger small" name="invitation" value="${id}" aria-label="${withdrawFor(email)}">${withdraw}</button>`,
        ]
      : []),
    roleTexts[role].name,
    renderTime(context, endsAt),
  ]);
  const table = renderTable(title, columns, rows);
  const action = context.url(`${membersPath}/invitations/withdraw`);
  return html`<section class="card"><h2>${title}</h2>${canChange ? renderButtonsForm(context, action, table) : table}</section>`;
}

function renderInvitationForm(context: DashboardContext, failed: FailedMembersForm | undefined): Markup {
  const fields = [
    renderField({
      name: 'email',
      label: texts.invite.email,
      type: 'email',
      value: failed?.email,
      hint: texts.invite.emailHint,
      error: failed?.errors.email,
    }),
    renderSelect({
      name: 'role',
      label: texts.role,
      value: failed?.role ?? 'viewer',
      hint: rolesHint,
      error: failed?.errors.role,
      choices: roleChoices,
    }),
  ];
  const form = renderForm(context, {
    action: context.url(`${membersPath}/invitations`),
    content: fields,
    submit: texts.invite.submit,
    attempt: failed?.attempt,
  });
  return html`<section class="card"><h2>${texts.invite.title}</h2>${form}</section>`;
}
