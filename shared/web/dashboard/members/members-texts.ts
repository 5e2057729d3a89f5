/** The English texts of the members' page. */
export const membersTexts = {
  title: 'Members',
  table: 'Members',
  email: 'E-mail',
  role: 'Role',
  since: 'Since',
  you: 'You',
  member: 'Member',
  changeRole: 'Change the role',
  remove: 'Remove this member',
  removeHint: 'The access of a removed member ends with the next request.',
  leave: 'Leave this account',
  invite: {
    title: 'Invite someone',
    email: 'E-mail address',
    emailHint: 'The person must sign in with this address, and the identity provider must have verified it.',
    submit: 'Create an invitation',
  },
  invitations: {
    title: 'Open invitations',
    ends: 'Ends',
    actions: 'Actions',
    withdraw: 'Withdraw',
    withdrawFor: (email: string) => `Withdraw the invitation for ${email}`,
  },
  created: {
    title: 'Send this link',
    explanation: (email: string) =>
      `Send this link to ${email}. It works once, for 7 days, and is shown only now. Remit sends no e-mail.`,
    users: {
      'in pool': (email: string) =>
        `If ${email} has no user in the sign-in service yet, it gets an e-mail with a temporary password from there. The person needs this password for the first sign-in.`,
      elsewhere: (email: string) =>
        `The person needs a user with the address ${email} at the identity provider of this deployment. Remit does not create it.`,
    },
    done: 'Done',
  },
  errors: {
    invitation: 'Choose one of the open invitations.',
    email: 'E-mail address is invalid. Enter one address, for example name@example.com.',
    userPool:
      'The invitation is made, but the sign-in service did not create the user. Send this form again in a moment to get the link. If the problem continues, ask your operator.',
    role: 'Role is invalid. Choose owner, developer, bookkeeper or viewer.',
  },
  signInAgain: 'To change members, sign in again. Your last sign-in is older than ten minutes.',
} as const;
