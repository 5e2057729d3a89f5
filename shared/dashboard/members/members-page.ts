/** Shows the members and open invitations of an account. Owners also see the forms that change them. */
import { html } from 'hono/html';
import type { Markup } from '../../pages/markup.ts';
import { readMembers } from '../../users/member-store.ts';
import { type AccountMembers, type Invitation, type Member, openInvitations } from '../../users/members.ts';
import { type Role, roles } from '../../users/roles.ts';
import { renderSignInButton } from '../base-app.ts';
import type { DashboardContext } from '../context.ts';
import type { DashboardPage, DashboardView } from '../definitions.ts';
import { renderBadge, renderTable, renderTime } from '../elements.ts';
import { renderErrors, renderField, renderForm, renderHiddenInput, renderSelect } from '../forms.ts';
import { accountPath } from '../links.ts';
import { frameTexts, roleTexts } from '../texts.ts';
import { membersTexts as texts } from './members-texts.ts';

/** The path of the page, below the account and mode. */
export const membersPath = '/settings/members';

/** What a failed form shows again. */
export interface FailedForm {
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

/** Renders the page. */
export function renderMembers(
  context: DashboardContext,
  members: AccountMembers,
  failed?: FailedForm,
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

/** Renders the link of a new invitation, which is shown once. */
export function renderNewInvitation(context: DashboardContext, email: string, link: string): DashboardView {
  const content = html`<section class="card"><p>${texts.created.explanation(email)}</p>
<code class="secret" tabindex="0">${link}</code>
<p><a class="button plain" href="${context.url(membersPath)}">${texts.created.done}</a></p></section>`;
  return { title: texts.created.title, section: 'settings', content };
}

function renderMemberTable(
  context: DashboardContext,
  { members }: AccountMembers,
  canChange: boolean,
): Markup {
  const titles = [texts.email, texts.role, texts.since, ...(canChange ? [texts.actions] : [])];
  const rows = members.map((member) => [
    html`<bdi>${member.email}</bdi> ${member.user === context.user.id && renderBadge(texts.you, 'good')}`,
    canChange ? renderRoleForm(context, member) : html`${roleTexts[member.role].name}`,
    renderTime(member.since),
    ...(canChange ? [renderRemoveForm(context, member)] : []),
  ]);
  return renderTable(
    texts.table,
    titles.map((title) => ({ title })),
    rows,
  );
}

function renderRoleForm(context: DashboardContext, { user, email, role }: Member): Markup {
  const options = roleChoices.map(
    ([value, name]) =>
      html`<option value="${value}"${value === role ? html` selected` : ''}>${name}</option>`,
  );
  return renderForm(context, {
    action: context.url(`${membersPath}/${user}/role`),
    content: html`<select name="role" aria-label="${texts.roleOf(email)}">${options}</select>`,
    submit: texts.changeRole,
    label: texts.changeRoleOf(email),
    style: 'plain small',
  });
}

function renderRemoveForm(context: DashboardContext, { user, email }: Member): Markup {
  return renderForm(context, {
    action: context.url(`${membersPath}/${user}/remove`),
    submit: texts.remove,
    label: texts.removeMember(email),
    style: 'danger small',
  });
}

function renderLeaveForm(context: DashboardContext): Markup {
  return renderForm(context, {
    action: context.url(`${membersPath}/leave`),
    submit: texts.leave,
    style: 'danger small',
  });
}

function renderInvitations(
  context: DashboardContext,
  invitations: readonly Invitation[],
  canChange: boolean,
): Markup | '' {
  if (invitations.length === 0) return '';
  const titles = [texts.email, texts.role, texts.invitations.ends, ...(canChange ? [texts.actions] : [])];
  const rows = invitations.map(({ id, email, role, endsAt }) => [
    html`<bdi>${email}</bdi>`,
    roleTexts[role].name,
    renderTime(endsAt),
    ...(canChange ? [renderWithdrawForm(context, id, email)] : []),
  ]);
  const columns = titles.map((title) => ({ title }));
  return html`<section class="card"><h2>${texts.invitations.title}</h2>${renderTable(texts.invitations.title, columns, rows)}</section>`;
}

function renderWithdrawForm(context: DashboardContext, id: string, email: string): Markup {
  return renderForm(context, {
    action: context.url(`${membersPath}/invitations/withdraw`),
    content: renderHiddenInput('invitation', id),
    submit: texts.invitations.withdraw,
    label: texts.invitations.withdrawFor(email),
    style: 'danger small',
  });
}

function renderInvitationForm(context: DashboardContext, failed: FailedForm | undefined): Markup {
  const hint = [...roles].reverse().map((role: Role) => `${roleTexts[role].name} ${roleTexts[role].hint}`);
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
      hint: `${hint.join(', ')}.`,
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
