/** Holds the texts of notices in English, and defines which texts a language must have. The other languages are beside this file. */
import type { NoticeKind, PayoutSetting } from '../../domain/accounts/notice-settings.ts';
import type { PaymentDispute } from '../../domain/payments/payment.ts';
import type { Role } from '../../domain/users/roles.ts';

export interface NoticeTexts {
  readonly titles: Readonly<Record<NoticeKind, string>>;
  /** The titles of the other changes of members. */
  readonly memberTitles: Readonly<Record<'changed' | 'removed', string>>;
  /** What the reader should do. */
  readonly notes: Readonly<Partial<Record<NoticeKind, string>>>;
  readonly memberChangeNote: string;
  /** The names of rows. */
  readonly names: Readonly<
    Record<
      | 'account'
      | 'invoice'
      | 'payment'
      | 'status'
      | 'respondBy'
      | 'endpoint'
      | 'schedule'
      | 'cause'
      | 'key'
      | 'member'
      | 'role'
      | 'provider'
      | 'changed'
      | 'browser'
      | 'time'
      | 'by',
      string
    >
  >;
  readonly disputes: Readonly<Record<PaymentDispute['status'], string>>;
  readonly causes: Readonly<Record<'gone' | 'failing', string>>;
  readonly roles: Readonly<Record<Role, string>>;
  readonly settings: Readonly<Record<PayoutSetting, string>>;
  /** Who made a change, if it is no member and no key. */
  readonly operator: string;
  readonly open: string;
  readonly accept: string;
  /** Before the address of the button. */
  readonly address: string;
  /** Why the reader gets the mail. */
  readonly reason: string;
  readonly invitationReason: string;
}

export const englishNoticeTexts: NoticeTexts = {
  titles: {
    paid: 'An invoice was paid',
    disputed: 'A payment is disputed',
    claimed: 'A payer says that an invoice is paid',
    endpoint: 'A webhook endpoint was disabled',
    schedule: 'A schedule has stopped',
    key: 'An API key was created',
    member: 'A person has joined the account',
    payout: 'Settings of payments were changed',
    sign_in: 'Sign-in with a new browser',
    invitation: 'You are invited to an account',
  },
  memberTitles: {
    changed: 'The role of a member was changed',
    removed: 'A member was removed from the account',
  },
  memberChangeNote: 'If you do not expect this, ask an owner or the operator of the service now.',
  notes: {
    disputed: 'Answer the dispute at your payment provider in time. Otherwise the money can be lost.',
    claimed:
      'Compare the transfer with your bank account. Then confirm or reject it in the dashboard. Reminders pause until then.',
    endpoint: 'It gets no events until you enable it. Then you can send the missed events again.',
    schedule:
      'It makes no invoices until you resume it. Correct what is wrong first. It goes on with the invoice that it could not make.',
    key: 'If you do not know this key, revoke it now.',
    member: 'If you do not know this person, remove them now.',
    payout:
      'They decide where payers send money, or who gets these mails. If you do not expect this, check them now.',
    sign_in: 'If this was not you, end the session and change the password at your sign-in provider.',
    invitation: 'Sign in with this email address. The invitation holds for 7 days.',
  },
  names: {
    account: 'Account',
    invoice: 'Invoice',
    payment: 'Payment',
    status: 'Status of the dispute',
    respondBy: 'Answer by',
    endpoint: 'Endpoint',
    schedule: 'Schedule',
    cause: 'Cause',
    key: 'API key',
    member: 'Member',
    role: 'Role',
    provider: 'Payment provider',
    changed: 'Changed',
    browser: 'Browser',
    time: 'Time',
    by: 'By',
  },
  disputes: {
    inquiry: 'Inquiry of the bank',
    open: 'Open',
    won: 'Won',
    lost: 'Lost',
    closed: 'Closed',
  },
  causes: {
    gone: 'The endpoint answered 410 Gone.',
    failing: 'No delivery has succeeded for days.',
  },
  roles: { owner: 'Owner', developer: 'Developer', bookkeeper: 'Bookkeeper', viewer: 'Viewer' },
  settings: {
    paymentInstructions: 'Payment instructions',
    paymentInstructionsBtn: 'Payment instructions for BTN',
    paymentInstructionsUsd: 'Payment instructions for USD',
    paymentInstructionsInr: 'Payment instructions for INR',
    paymentQr: 'QR code',
    paymentQrAmount: 'Amount in the QR code',
    upiId: 'UPI ID',
    mailNotices: 'Kinds of these mails',
    mailNoticesTo: 'Address of these mails',
  },
  operator: 'The operator of the service',
  open: 'Open the dashboard',
  accept: 'View invitation',
  address: 'If the button does not work, open this address:',
  reason: 'You get this mail because of the settings of your account at Remit.',
  invitationReason: 'You get this mail because somebody invited you to an account at Remit.',
};
