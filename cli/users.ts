/** Defines `remit users`: invites, lists and removes the users of an account's dashboard. */
import { randomBytes } from 'node:crypto';
import * as v from 'valibot';
import { now, toTimestamp } from '../shared/base/time.ts';
import { MemberError, type MemberRefusal } from '../shared/domain/users/members.ts';
import { roles } from '../shared/domain/users/roles.ts';
import { operatorOrigin } from './audit-operation.ts';
import {
  type CliCommand,
  CommandError,
  type CommandGroup,
  type ParsedOptions,
  parseChoice,
  usageError,
} from './command.ts';
import { confirmChange, yesOption } from './confirmation.ts';
import { dashboardUrlOption, findDashboard } from './dashboard-address.ts';
import { accountOption, requireAccountId } from './requested-account.ts';
import { connectTable, tableHelp, withDeploymentOptions } from './table-connection.ts';

const emailSchema = v.pipe(v.string(), v.trim(), v.maxLength(254), v.email());

const refusals: Partial<Record<MemberRefusal, string>> = {
  last_owner: 'This is the only owner of the account. Nothing was changed. Invite another owner first.',
  too_many_invitations:
    'The account has 25 open invitations. Nothing was changed. An owner can withdraw some in the dashboard.',
};

async function loadMemberStore() {
  await connectTable();
  const [store, members, links, tokens] = await Promise.all([
    import('../shared/domain/users/member-store.ts'),
    import('../shared/domain/users/members.ts'),
    import('../shared/domain/users/dashboard-paths.ts'),
    import('../shared/domain/users/invitation-token.ts'),
  ]);
  return { ...store, ...members, ...links, ...tokens };
}

const invite: CliCommand = {
  about: 'Invite a person to the dashboard of an account. The link of the invitation is shown only once.',
  details: `A deployment with --mail-from mails the link to the person, unless the account has switched mails of this kind off.
Otherwise, send it yourself. It works once, for 7 days, and only after a sign-in with this e-mail address, which the identity
provider must have verified. A new invitation for the same address replaces the earlier one.

If the deployment has a user pool of its own, the command also creates the user there, and Cognito sends a temporary password
to the address.`,
  options: {
    account: accountOption,
    email: { value: 'EMAIL', about: 'E-mail address of the person.', required: true },
    role: { value: 'ROLE', about: `Role in the account: ${roles.join(', ')}. Default: owner.` },
    'dashboard-url': dashboardUrlOption,
  },
  examples: [
    'npx remit users invite --account acct_… --email dorji@example.bt',
    'npx remit users invite --account acct_… --email pema@example.bt --role viewer --stage prod',
  ],
  run: async (options) => {
    const email = readEmail(options);
    const role = parseChoice('role', options.optional('role') ?? 'owner', roles);
    const { url, userPoolId } = await findDashboard(options);
    const account = await requireAccountId(options);
    const { addInvitation, changeMembers, invitationIdOf, invitationPath, invitationTokenFor } =
      await loadMemberStore();
    const origin = await operatorOrigin('member.invite');
    const isNewUser = userPoolId !== undefined && (await createUser(userPoolId, email));
    const id = invitationIdOf(randomBytes(10));
    const token = await invitationTokenFor(account, id);
    const at = now();
    await throwReadable(
      changeMembers(account, (current) => addInvitation(current, { id, token, email, role }, at), origin),
    );
    const link = `${url}${invitationPath(account, token)}`;
    return {
      json: { account, email, role, link, isNewUser },
      table: {
        rows: [
          ['account', account],
          ['email', email],
          ['role', role],
          ['link', link],
        ],
      },
      remark: `The link is shown only once. Send it to ${email}, unless the deployment mails it.${isNewUser ? ' Cognito has sent a temporary password to this address.' : ''}`,
    };
  },
};

const list: CliCommand = {
  about: 'List the members and open invitations of an account.',
  options: { account: accountOption },
  examples: ['npx remit users list --account acct_…', 'npx remit users list --account acct_… --json'],
  run: async (options) => {
    const account = await requireAccountId(options);
    const { openInvitations, readMembers } = await loadMemberStore();
    const found = await readMembers(account);
    const members = found.members.map(({ since, ...member }) => ({ ...member, since: toTimestamp(since) }));
    const invitations = openInvitations(found, now()).map(({ id, email, role, endsAt }) => ({
      id,
      email,
      role,
      endsAt: toTimestamp(endsAt),
    }));
    const rows = [
      ...members.map(({ user, role, since, email }) => [user, 'member', role, since, email]),
      ...invitations.map(({ id, role, endsAt, email }) => [id, 'invited', role, `until ${endsAt}`, email]),
    ];
    return {
      json: { members, invitations },
      table: { headers: ['USER', 'STATUS', 'ROLE', 'SINCE', 'EMAIL'], rows },
    };
  },
};

const remove: CliCommand = {
  about: 'Remove a member, or withdraw an invitation. The next request of the person is refused.',
  options: {
    account: accountOption,
    user: {
      value: 'USER',
      about: 'User ID (usr_…) or invitation (invitation_…), from npx remit users list.',
      required: true,
    },
    ...yesOption,
  },
  examples: ['npx remit users remove --account acct_… --user usr_…'],
  run: async (options) => {
    const account = await requireAccountId(options);
    const user = options.required('user');
    const { changeMembers, readMembers, removeMember, withdrawInvitation } = await loadMemberStore();
    const { members, invitations } = await readMembers(account);
    if (![...members.map((member) => member.user), ...invitations.map(({ id }) => id)].includes(user))
      throw new CommandError(
        `${account} has no member or invitation ${user}. To see all, run npx remit users list --account ${account}.`,
      );
    await confirmChange(options, () => `This ends the access of ${user} to the dashboard of ${account}.`);
    const origin = await operatorOrigin('member.remove');
    await throwReadable(
      changeMembers(account, (current) => removeMember(withdrawInvitation(current, user), user), origin),
    );
    return { json: { account, user }, text: `${user} no longer has access to ${account}.` };
  },
};

export const userCommands: CommandGroup = {
  about: "Invite, list and remove the users of an account's dashboard.",
  details: tableHelp,
  commands: withDeploymentOptions({ invite, list, remove }),
};

function readEmail(options: ParsedOptions): string {
  const email = v.safeParse(emailSchema, options.required('email'));
  if (email.success) return email.output;
  throw usageError('--email must be one e-mail address, for example name@example.com.');
}

async function createUser(userPoolId: string, email: string): Promise<boolean> {
  const { createPoolUser } = await import('../shared/domain/users/user-pool.ts');
  return createPoolUser(userPoolId, email);
}

async function throwReadable<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    const text = error instanceof MemberError ? refusals[error.refusal] : undefined;
    throw text === undefined ? error : new CommandError(text);
  }
}
