/**
 * Changes the members and invitations of an account. Each change checks the actor's role on the members that it replaces,
 * and a repeated form changes nothing more.
 */
import * as v from 'valibot';
import type { AuditAction } from '../../../base/audit-origin.ts';
import { env } from '../../../base/env.ts';
import { logger } from '../../../base/log.ts';
import { invitationPath } from '../../../domain/users/dashboard-paths.ts';
import { invitationTokenFor } from '../../../domain/users/invitation-token.ts';
import { changeMembers, readMembers } from '../../../domain/users/member-store.ts';
import {
  type AccountMembers,
  addInvitation,
  changeRole,
  invitationIdOf,
  MemberError,
  removeMember,
  requireOwner,
  withdrawInvitation,
} from '../../../domain/users/members.ts';
import { roles } from '../../../domain/users/roles.ts';
import { createPoolUser } from '../../../domain/users/user-pool.ts';
import { originOf } from '../attempts/failed-attempt.ts';
import type { ActionRequest, ActionResult, DashboardAction } from '../definitions.ts';
import { messageTexts, type NoticeKey, refusalTexts } from '../texts.ts';
import { type FailedMembersForm, membersPath, renderMembers, renderNewInvitation } from './members-page.ts';
import { membersTexts } from './members-texts.ts';

const emailSchema = v.pipe(v.string(), v.trim(), v.maxLength(254), v.email());
const roleSchema = v.picklist(roles);
/** An invitation that is withdrawn already is none of the open ones, but a second click names it. */
const invitationSchema = v.pipe(v.string(), v.regex(/^invitation_[0-9a-z]{16}$/));

const formPage = () => membersPath;

const invite: DashboardAction = {
  path: `${membersPath}/invitations`,
  ability: 'members:write',
  formPage,
  fields: ['email', 'role'],
  typed: {
    showAgain: (request, { alert, status }) =>
      showAgain(request, { ...typedIn(request), errors: { email: alert } }, status),
  },
  handle: async (request) => {
    const { context, deriveSecret } = request;
    const typed = typedIn(request);
    const email = v.safeParse(emailSchema, typed.email);
    const role = v.safeParse(roleSchema, typed.role);
    if (!email.success || !role.success) {
      const errors = {
        ...(!email.success && { email: membersTexts.errors.email }),
        ...(!role.success && { role: membersTexts.errors.role }),
      };
      return showAgain(request, { ...typed, errors }, 400);
    }
    // The same form with the same values gives the same invitation. So two clicks make one invitation, and both answers show it.
    const id = invitationIdOf(deriveSecret(`invitation:${email.output}:${role.output}`));
    const token = await invitationTokenFor(context.account, id);
    const invitation = { id, token, email: email.output, role: role.output };
    const userPoolId = env.userPoolId();
    return change(
      request,
      'member.invite',
      (current) => addInvitation(current, invitation, context.now),
      async () => {
        if (userPoolId !== undefined && !(await tryToCreateUser(userPoolId, email.output)))
          return showAgain(request, { ...typed, errors: { email: membersTexts.errors.userPool } }, 409);
        const link = `${context.dashboardUrl}${invitationPath(context.account, token)}`;
        const user = userPoolId === undefined ? 'elsewhere' : 'in pool';
        return { view: renderNewInvitation(context, email.output, link, user) };
      },
      typed,
    );
  },
};

/**
 * Creates the user in the user pool of the deployment, unless the pool has it. This comes after the invitation, whose
 * transaction checks the owner. The same form again repeats it, and changes nothing else.
 */
async function tryToCreateUser(userPoolId: string, email: string): Promise<boolean> {
  try {
    await createPoolUser(userPoolId, email);
    return true;
  } catch (error) {
    // The message of Cognito can repeat the address.
    logger.error('user not created', { error: { name: error instanceof Error ? error.name : 'NotAnError' } });
    return false;
  }
}

const withdraw: DashboardAction = {
  path: `${membersPath}/invitations/withdraw`,
  ability: 'members:write',
  formPage,
  fields: ['invitation'],
  handle: async (request) => {
    const id = v.safeParse(invitationSchema, request.form.get('invitation'));
    if (!id.success) return showAgain(request, { errors: { members: membersTexts.errors.invitation } }, 400);
    return change(
      request,
      'member.withdraw',
      (current) => withdrawInvitation(current, id.output),
      goTo(request, 'withdrawn'),
    );
  },
};

const setRole: DashboardAction = {
  path: `${membersPath}/:user/role`,
  ability: 'members:write',
  formPage,
  fields: ['role'],
  handle: async (request) => {
    const { params, form } = request;
    const role = v.safeParse(roleSchema, form.get('role'));
    if (!role.success) return showAgain(request, { errors: { members: membersTexts.errors.role } }, 400);
    return change(
      request,
      'member.change',
      (current) => changeRole(current, params.user ?? '', role.output),
      goTo(request, 'role_changed'),
    );
  },
};

const remove: DashboardAction = {
  path: `${membersPath}/:user/remove`,
  ability: 'members:write',
  formPage,
  handle: (request) => {
    const { context, params } = request;
    const user = params.user ?? '';
    const next = user === context.user.id ? goToAccounts(request) : goTo(request, 'member_removed');
    return change(request, 'member.remove', (current) => removeMember(current, user), next);
  },
};

const leave: DashboardAction = {
  path: `${membersPath}/leave`,
  ability: 'membership:leave',
  formPage,
  handle: (request) => {
    const { user } = request.context;
    return decide(
      request,
      'member.remove',
      (current) => removeMember(current, user.id),
      goToAccounts(request),
    );
  },
};

export const memberActions: readonly DashboardAction[] = [invite, withdraw, setRole, remove, leave];

/** Changes the members on behalf of an owner. */
function change(
  request: ActionRequest,
  action: AuditAction,
  transition: (current: AccountMembers) => AccountMembers,
  next: () => ActionResult | Promise<ActionResult>,
  typed?: Omit<FailedMembersForm, 'errors'>,
): Promise<ActionResult> {
  const requireAndDecide = (current: AccountMembers) => {
    requireOwner(current, request.context.user.id);
    return transition(current);
  };
  return decide(request, action, requireAndDecide, next, typed);
}

async function decide(
  request: ActionRequest,
  action: AuditAction,
  transition: (current: AccountMembers) => AccountMembers,
  next: () => ActionResult | Promise<ActionResult>,
  typed: Omit<FailedMembersForm, 'errors'> = {},
): Promise<ActionResult> {
  if (request.context.isInMaintenance)
    return showAgain(request, { ...typed, errors: { members: messageTexts.maintenance.explanation } }, 409);
  try {
    await changeMembers(request.context.account, transition, await originOf(request, action));
    return await next();
  } catch (error) {
    if (!(error instanceof MemberError)) throw error;
    return showAgain(request, { ...typed, errors: { members: refusalTexts[error.refusal] } }, 409);
  }
}

async function showAgain(
  { context }: ActionRequest,
  failed: FailedMembersForm,
  status: 400 | 403 | 409,
): Promise<ActionResult> {
  const members = await readMembers(context.account);
  return { view: { ...renderMembers(context, members, failed), status } };
}

const typedIn = ({ form, attempt }: ActionRequest) => ({
  email: form.get('email') ?? '',
  role: form.get('role') ?? '',
  attempt,
});

const goTo =
  ({ context }: ActionRequest, notice: NoticeKey) =>
  (): ActionResult => ({ redirectTo: context.url(membersPath), notice });

const goToAccounts =
  ({ context }: ActionRequest) =>
  (): ActionResult => ({ redirectTo: context.rootUrl('/accounts'), notice: 'left' });
