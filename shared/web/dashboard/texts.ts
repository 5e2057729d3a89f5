/** The English texts of the dashboard's frame, its notices and its error pages. */
import type { MemberRefusal } from '../../domain/users/members.ts';
import type { Role } from '../../domain/users/roles.ts';

/** A message page: what is wrong, then what to do. */
interface Message {
  readonly title: string;
  readonly explanation: string;
}

export const frameTexts = {
  product: 'Remit',
  skip: 'Skip to content',
  navigation: 'Main',
  sections: {
    overview: 'Overview',
    invoices: 'Invoices',
    payments: 'Payments',
    'bank-statements': 'Bank statements',
    customers: 'Customers',
    products: 'Products',
    webhooks: 'Webhooks',
    events: 'Events',
    settings: 'Settings',
  },
  modes: { test: 'Test mode', live: 'Live mode' },
  sandboxUntil: 'Sandbox, deleted after',
  clock: 'Clock',
  clockAt: (time: string) => `Clock: ${time}`,
  help: {
    title: 'Keys',
    keys: [
      ['/', 'Search'],
      ['c', 'Create what the page lists'],
      ['j', 'Next row of a bank statement that waits'],
      ['k', 'Previous row that waits'],
      ['Enter', 'Open the row'],
      ['i', 'Go to the button that ignores the row'],
      ['?', 'Show these keys'],
    ],
    close: 'Close',
  },
  timesIn: (timeZone: string) =>
    timeZone === 'UTC'
      ? 'Times are in UTC.'
      : `Times are those of ${timeZone}. Point at one to see it in UTC.`,
  advancing: 'advancing',
  switchTo: { test: 'Switch to test mode', live: 'Switch to live mode' },
  account: 'Account',
  switchAccount: 'Your accounts',
  signIns: 'Your sign-ins',
  signOut: 'Sign out',
  signIn: 'Sign in',
  open: 'Open the dashboard',
  openForm: 'Open the form',
  signInAgain: 'Sign in again',
  requestId: 'Request ID',
  problem: 'Problem',
  newer: 'Newer',
  older: 'Older',
  orders: { newest: 'Newest first', oldest: 'Oldest first' },
  page: (page: number) => `Page ${page}`,
  pages: 'Pages',
  range: (from: number, to: number, total: number) => `${from} to ${to} of ${total}`,
} as const;

export const signInTexts = {
  title: 'Sign in to Remit',
  explanation: 'You continue at the sign-in service of this deployment, and return here.',
  continueSignOut: (host: string) => `Continue, to sign out of ${host} too`,
  sessions: {
    title: 'Your sign-ins',
    explanation: 'A sign-in ends after 8 hours, or after 2 hours without use.',
    table: 'Sign-ins',
    started: 'Began',
    used: 'Last used',
    browser: 'Browser',
    current: 'This browser',
    actions: 'Actions',
    end: 'End',
    endLabel: (browser: string, began: string) => `End the session of ${browser} that began ${began}`,
    endAll: 'End all my sessions',
  },
  invitation: {
    title: (account: string) => `Invitation to ${account}`,
    explanation: (email: string, role: string) =>
      `You are signed in as ${email}. With this invitation you become ${role} of the account.`,
    accept: 'Accept the invitation',
  },
} as const;

/** The field of the search, which every page has. */
export const searchBoxTexts = {
  label: 'Search',
  hint: 'Number, reference, amount, name, email address, last four digits of a card, or ID',
} as const;

/** What each role is and may do. */
export const roleTexts = {
  owner: { name: 'Owner', hint: 'may do everything' },
  developer: {
    name: 'Developer',
    hint: 'also manages invoices, customers, products, webhooks, test keys, test refunds and the test clock',
  },
  bookkeeper: {
    name: 'Bookkeeper',
    hint: 'sees everything but secrets, downloads lists and records payments',
  },
  viewer: { name: 'Viewer', hint: 'sees everything but secrets' },
} as const satisfies Readonly<Record<Role, object>>;

/** Why a change of members was refused. */
export const refusalTexts = {
  not_permitted: 'Only owners can change members. Ask an owner of the account.',
  last_owner: 'An account needs an owner. Make another member an owner first.',
  not_a_member: 'This user is no longer a member. Reload the page.',
  too_many_members: 'The account has 50 members, which is the maximum. Remove a member first.',
  too_many_invitations: 'The account has 25 open invitations. Withdraw one first.',
  unknown_invitation:
    'This invitation does not exist. Check that the link is complete, or ask for a new one.',
  invitation_ended: 'This invitation has ended: it was valid for 7 days. Ask for a new one.',
  invitation_used: 'This invitation was already accepted by another user. Ask for a new one.',
  other_email:
    'This invitation is for another e-mail address. Sign out, and sign in with the invited address.',
  email_not_verified:
    'Your identity provider has not verified your e-mail address. Verify it there, sign in again, and open the link again.',
  already_member: 'You are already a member of this account.',
} as const satisfies Readonly<Record<MemberRefusal, string>>;

/** Shown on the page after an action. The address of the page names the notice, never its text. */
export const notices = {
  invited: 'The invitation is ready.',
  withdrawn: 'The invitation no longer works.',
  role_changed: 'The role has changed.',
  member_removed: 'The member no longer has access.',
  left: 'You left the account.',
  joined: 'You are now a member of this account.',
  session_ended: 'The session has ended.',
  sessions_ended: 'All your sessions have ended.',
  signed_out: 'You are signed out.',
  invoice_created: 'The invoice is created.',
  invoice_updated: 'The invoice is saved.',
  invoice_cancelled: 'The invoice is cancelled.',
  invoice_replaced: 'This invoice replaces the former one, which is cancelled.',
  draft_saved: 'The draft is saved.',
  draft_deleted: 'The draft is deleted.',
  draft_finalized: 'The draft has become this invoice.',
  schedule_created: 'The schedule is created.',
  schedule_updated: 'The schedule is saved, from the next time on.',
  schedule_paused: 'The schedule is paused.',
  schedule_resumed: 'The schedule goes on.',
  schedule_skipped: 'The next time is skipped.',
  schedule_run: 'The invoice will be made in some seconds.',
  schedule_ended: 'The schedule has ended.',
  customer_created: 'The customer is created.',
  customer_updated: 'The customer is saved.',
  customer_deleted: 'The customer is deleted. Its personal data is erased.',
  product_created: 'The product is created.',
  product_updated: 'The product is saved.',
  product_deleted: 'The product is deleted.',
  reminders_paused: 'No reminders of this invoice go out.',
  reminders_resumed: 'The reminders of this invoice go out again, on the days of the account.',
  customer_reminders_paused: 'No reminders of invoices of this customer go out.',
  customer_reminders_resumed: 'Reminders of invoices of this customer go out again.',
  address_allowed: 'Mails can go to the address again. The mail itself is not sent again.',
  invoice_sent: 'The mail will be sent in some seconds. The timeline shows what comes of it.',
  claim_rejected: 'The claim is rejected. The payment page says why.',
  claim_confirmed: 'The claim is confirmed by the payment that you had recorded.',
  payment_recorded: 'The payment is recorded. The invoice is paid if nothing is due.',
  payment_is_credit: 'The payment is recorded. All of it is credit of the customer.',
  payment_accepted: 'The payment is accepted. The invoice is paid if nothing is due.',
  payment_returned: 'The payment is refunded. The invoice can be paid again.',
  payment_voided: 'The payment is voided. A paid invoice shows which one replaces it.',
  payment_not_resolved:
    'Nothing was changed. The payment no longer waits for this decision, or the account takes no changes.',
  statement_imported:
    'The statement is imported. Rows with a payment reference pay by themselves in some seconds.',
  statement_known: 'This statement has all of these rows already. Nothing was changed.',
  row_matched: 'The row has paid the invoice.',
  row_linked: 'The row shows the money of the payment. Nothing was paid again.',
  row_returned: 'The row shows the money of the refund.',
  row_ignored: 'The row is ignored.',
  refund_created: 'The refund is requested. It is processed in a moment.',
  webhook_updated: 'The endpoint is saved.',
  webhook_deleted: 'The endpoint is deleted.',
  recovery_started: 'Remit sends the missed events again.',
  sent_again: 'The event was sent again. The newest attempt shows the result.',
  settings_updated: 'The settings are saved.',
  key_updated: 'The API key is saved. The change applies from the next request on.',
  key_revoked: 'The API key is revoked.',
  provider_connected: 'The provider is connected. Now set up its notifications, as this page shows.',
  credentials_replaced: 'The credentials are replaced.',
  old_secrets_dropped: 'Only the newest notification secret is accepted from now on.',
  credentials_accepted: 'The provider accepts the credentials.',
  clock_moved: 'The clock has arrived, and what became due is done.',
  clock_moving: 'The clock moves.',
  clock_reset: 'The clock shows the real time.',
  provider_disconnected: 'The provider is disconnected. Refunds and open checkouts still work.',
} as const;

export type NoticeKey = keyof typeof notices;

export const messageTexts = {
  not_found: {
    title: 'Page not found',
    explanation:
      'This page does not exist, or your sign-in does not have access to its account. Check the address, or choose one of your accounts.',
  },
  not_permitted: {
    title: 'Your role does not allow this',
    explanation: 'Nothing was changed. Ask an owner of the account to do it, or to change your role.',
  },
  needs_new_sign_in: {
    title: 'Sign in again to continue',
    explanation:
      'This needs a sign-in from the last ten minutes. Nothing was changed. After you sign in, you return to the form.',
  },
  session_ended: {
    title: 'Your session has ended',
    explanation: 'Nothing was changed. Sign in again, then send the form again.',
  },
  refused_form: {
    title: 'This form is out of date',
    explanation:
      'Nothing was changed. The form belongs to an earlier session or comes from another site. Open the form again, and send it.',
  },
  incomplete_form: {
    title: 'This form is incomplete',
    explanation:
      'Nothing was changed. A field of the form is missing or was sent twice. Open the form again, and send it.',
  },
  maintenance: {
    title: 'Changes are paused',
    explanation:
      'The service is in maintenance. Nothing was changed. Try again later. You can still read everything.',
  },
  failed: {
    title: 'Something went wrong',
    explanation:
      'Try again in a moment. If you sent a form, first check whether it took effect. If the problem continues, contact your operator with the request ID.',
  },
  no_account: {
    title: 'You have no account yet',
    explanation:
      'Ask an owner of an account for an invitation, and open its link. The operator invites the first owner with the command: npx remit users invite --account ACCOUNT --email EMAIL',
  },
  sign_in_mismatch: {
    title: 'This sign-in cannot be completed',
    explanation:
      'It began in another browser or window, was already completed, or is older than 15 minutes. Sign in again.',
  },
  sign_in_refused: {
    title: 'You are not signed in',
    explanation: 'The sign-in was cancelled or refused. Sign in again, or use another user.',
  },
  sign_in_too_old: {
    title: 'The sign-in is not recent enough',
    explanation:
      'Your identity provider did not ask for your credentials again. Sign out, sign in again, and then return to the form.',
  },
  sign_in_too_weak: {
    title: 'This sign-in is not strong enough',
    explanation:
      'You are not signed in. This dashboard requires a stronger way to sign in, for example with a second factor. Sign in again that way. If your identity provider does not offer one, ask its administrator.',
  },
  issuer_failed: {
    title: 'The sign-in service does not answer correctly',
    explanation:
      'Nothing was changed. Try again in a moment. If the problem continues, contact your operator with the request ID.',
  },
  signed_in: {
    title: 'You are signed in',
    explanation: 'Close this tab, and return to the tab with your form. There, press “Show the form again”.',
  },
  signed_out: {
    title: 'You are signed out',
    explanation: 'Your session in this browser has ended.',
  },
} as const satisfies Readonly<Record<string, Message>>;

/** The page that keeps what a user typed. */
export const typedFormTexts = {
  explanations: {
    session_ended: 'Nothing was changed, and what you typed is kept on this page.',
    needs_new_sign_in:
      'This needs a sign-in from the last ten minutes. Nothing was changed, and what you typed is kept on this page.',
  },
  hint: 'Keep this tab open. The sign-in opens another one.',
  signIn: 'Sign in in a new tab',
  showAgain: 'Show the form again',
  check:
    'Nothing was changed: the form was sent before you signed in. Check the values, fill in what is missing, and send the form.',
} as const;

export type MessageKey = keyof typeof messageTexts;
