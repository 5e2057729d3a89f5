/** Tests which notices follow from changes, who gets them, and how timers name them. */
import { describe, expect, test } from '@jest/globals';
import type { AuditAction, SettingChange } from '../../../shared/base/audit-origin.ts';
import {
  formatNotices,
  noticesOf,
  parseNotices,
  payoutSettings,
} from '../../../shared/domain/accounts/notice-settings.ts';
import { replacedForMs, replacedNoticesAfter } from '../../../shared/domain/accounts/replaced-notices.ts';
import { draftEvent } from '../../../shared/domain/events/event.ts';
import { mailReferenceOf, stepReferenceOf } from '../../../shared/domain/mails/mail-timer.ts';
import { type NoticeReference, noticeReferenceOf, noticeTimer } from '../../../shared/domain/mails/notice.ts';
import { readersOf } from '../../../shared/domain/mails/notice-store.ts';
import type { AccountMembers } from '../../../shared/domain/users/members.ts';
import { mailTimersOf } from '../../../shared/operations/outbox/mail-timers.ts';
import { noticesFrom } from '../../../shared/operations/outbox/notice-timers.ts';
import type { OutboxItem } from '../../../shared/store/commit/outbox-item.ts';
import { tableKeys } from '../../../shared/store/keys.ts';

const account = `acct_${'a'.repeat(16)}`;
const at = Date.parse('2026-11-24T00:00:00Z');
const user = `usr_${'0'.repeat(26)}`;

const change = (field: string, after: string | null, before: string | null = null): SettingChange => ({
  field,
  before,
  after,
});

/** An outbox item of an operation that the audit log records. */
const audited = (
  action: AuditAction,
  changes: readonly SettingChange[] = [],
  {
    mode = 'live',
    resource = account,
    outcome = 'done',
  }: { mode?: string; resource?: string; outcome?: string } = {},
) => {
  const origin = { actor: { type: 'user', id: user }, action, requestId: 'request', source: null };
  const entry = { ...origin, resource, changes, outcome };
  return { account, mode, pk: 'p', sk: `${at}#x`, events: [], audited: entry } as unknown as OutboxItem;
};

const kindsOf = (item: OutboxItem) => noticesFrom(item).map(({ kind }) => kind);

describe('notices follow from', () => {
  test.each([
    [
      'a new key',
      audited('key.create', [change('name', 'Shop')], { mode: 'test', resource: 'key_1' }),
      ['key'],
    ],
    ['a new provider', audited('provider.connect', [], { mode: 'test', resource: 'stripe' }), ['payout']],
    ['a disabled endpoint', audited('webhook.disable', [change('disabledReason', 'gone')]), ['endpoint']],
    ['a new member', audited('member.join', [change(user, 'viewer')]), ['member']],
    ['another role', audited('member.change', [change(user, 'viewer', 'owner')]), ['member']],
    ['a removed member', audited('member.remove', [change(user, null, 'owner')]), ['member']],
    ['a withdrawn invitation', audited('member.remove', [change('invitation_1', null, 'owner')]), []],
    ['an invitation', audited('member.invite', [change('invitation_1', 'viewer')]), ['invitation']],
    ['a changed UPI ID', audited('account.update', [change('upiId', 'a@b')]), ['payout']],
    [
      'changed instructions of a currency',
      audited('account.update', [change('paymentInstructionsInr', 'a')]),
      ['payout'],
    ],
    ['changed notices', audited('account.update', [change('mailNotices', 'none')]), ['payout']],
    ['another setting', audited('account.update', [change('contact', 'a@b.example')]), []],
    [
      'a new browser',
      audited('user.sign_in', [change('browser', 'X'), change('newBrowser', 'true')]),
      ['sign_in'],
    ],
    ['a known browser', audited('user.sign_in', [change('browser', 'X')]), []],
    ['an operation that failed', audited('key.create', [], { outcome: 'failed' }), []],
    ['the item of test mode', audited('member.join', [change(user, 'viewer')], { mode: 'test' }), []],
    ['another operation', audited('webhook.create'), []],
  ] as const)('%s', (_, item, kinds) => {
    expect(kindsOf(item)).toEqual(kinds);
  });

  test('a paid invoice, a dispute and a stopped schedule, if the account gets them', () => {
    const eventItem = (type: 'invoice.paid' | 'payment.disputed' | 'schedule.failed', id: string) => {
      const event = draftEvent(type, { id, objectVersion: 1, mode: 'test' }, at, { id });
      return { account, mode: 'test', pk: 'p', sk: `${at}#x`, events: [event] } as unknown as OutboxItem;
    };
    const [paid, disputed] = [eventItem('invoice.paid', 'inv_1'), eventItem('payment.disputed', 'pay_1')];
    expect(noticesFrom(eventItem('schedule.failed', 'sch_1'))).toMatchObject([
      { kind: 'schedule', about: 'sch_1', at, by: '' },
    ]);
    expect(noticesFrom(disputed)).toMatchObject([{ kind: 'disputed', about: 'pay_1', at, by: '' }]);
    const stored = (settings: object) => ({
      ...tableKeys.account(account),
      ...{ name: 'Shop', plan: 'standard', createdAt: at },
      ...settings,
    });
    const kindsFor = (item: OutboxItem, settings: object) =>
      mailTimersOf(item, stored(settings), at).map((timer) => noticeReferenceOf(timer)?.kind);
    expect(kindsFor(paid, {})).toEqual([]);
    expect(kindsFor(paid, { mailNotices: 'paid' })).toEqual(['paid']);
    expect(kindsFor(disputed, {})).toEqual(['disputed']);
    expect(kindsFor(disputed, { mailNotices: 'none' })).toEqual([]);
  });
});

describe('a timer', () => {
  const notice: NoticeReference = {
    ...{ account, mode: 'live', kind: 'payout', at, cause: `aud_${'0'.repeat(26)}`, about: account },
    detail: payoutSettings.join(','),
    by: `user:${user}`,
  };

  test('names its notice, and no other mail', () => {
    const timer = noticeTimer(notice, at);
    expect(noticeReferenceOf(timer)).toEqual(notice);
    expect(mailReferenceOf(timer)).toBeUndefined();
    expect(stepReferenceOf(timer)).toBeUndefined();
  });

  test('is short enough for a sort key', () => {
    expect(noticeTimer(notice, at).reference.length).toBeLessThan(400);
  });

  test.each([
    audited('key.create', [change('name', "Karma's laptop")], { resource: 'key_1' }),
    audited('key.roll_over', [change('name', "Karma's laptop")], { resource: 'key_1' }),
    audited('user.sign_in', [change('browser', 'Firefox on Ubuntu'), change('newBrowser', 'true')]),
    audited('account.update', [change('upiId', 'karma@okbank')]),
    audited('member.join', [change(user, 'viewer')]),
    audited('provider.connect', [change('accountName', 'Karma')], { resource: 'stripe' }),
  ])('has no name of a key, no browser and no operator in its key and its message: %#', (item) => {
    const actor = { type: 'operator', id: 'arn:aws:sts::1:assumed-role/Admin/karma' };
    const byOperator = { ...item, audited: { ...item.audited, actor } } as OutboxItem;
    const profile = { ...tableKeys.account(account), name: 'Shop', plan: 'standard', createdAt: at };
    const [timer, ...others] = mailTimersOf(byOperator, profile, at);
    expect(others).toEqual([]);
    expect(noticeReferenceOf(timer ?? { reference: '' })?.by).toBe('operator');
    expect(JSON.stringify(timer)).not.toMatch(/karma|laptop|firefox|ubuntu|arn/i);
  });

  test.each([
    '',
    'x/live/notice/key/1/cause/about/d',
    'x/live/notice/other/1/c/a/d/b',
    'x/live/notice/key/now/c/a/d/b',
  ])('that names no notice: %j', (reference) => {
    expect(noticeReferenceOf({ reference })).toBeUndefined();
  });
});

describe('the readers', () => {
  const person = (id: string, role: string, email: string) => ({ user: id, role, email });
  const members = {
    members: [
      person('usr_1', 'owner', 'One@shop.example'),
      person('usr_2', 'owner', 'two@shop.example'),
      person('usr_3', 'viewer', 'three@shop.example'),
      person('usr_4', 'owner', ''),
    ],
    former: [{ user: 'usr_5', email: 'five@shop.example', until: at + 1 }],
    invitations: [{ id: 'invitation_1', email: 'guest@x.example', role: 'viewer', endsAt: at + 1 }],
  } as unknown as AccountMembers;
  const to = (kind: NoticeReference['kind'], about: string, mailNoticesTo?: string, now = at) =>
    readersOf({ kind, about, at, detail: '' }, { mailNoticesTo, replacedNotices: undefined }, members, now);

  test('are the owners, or the address of the settings', () => {
    expect(to('key', 'key_1')).toEqual(['One@shop.example', 'two@shop.example']);
    expect(to('key', 'key_1', 'books@shop.example')).toEqual(['books@shop.example']);
  });

  test('of a sign-in are also who signed in, each once', () => {
    expect(to('sign_in', 'usr_3', 'books@shop.example')).toEqual([
      'three@shop.example',
      'books@shop.example',
    ]);
    expect(to('sign_in', 'usr_1', 'one@SHOP.example')).toHaveLength(1);
  });

  test('of a change of a member are also that person, and not of a new member', () => {
    const of = (about: string, detail: string) =>
      readersOf(
        { kind: 'member', about, at, detail },
        { mailNoticesTo: 'b@x.example' } as never,
        members,
        at,
      );
    expect(of('usr_5', 'removed')).toEqual(['five@shop.example', 'b@x.example']);
    expect(of('usr_3', 'changed:owner')).toEqual(['three@shop.example', 'b@x.example']);
    expect(of('usr_3', 'joined:owner')).toEqual(['b@x.example']);
  });

  test('of notices about security are for a day also those of settings that were replaced', () => {
    const owners = { mailNotices: undefined, mailNoticesTo: undefined, replacedNotices: undefined };
    const books = {
      ...{ mailNotices: undefined, mailNoticesTo: 'books@x.example' },
      replacedNotices: replacedNoticesAfter(owners, at),
    };
    const none = {
      ...{ mailNotices: 'none', mailNoticesTo: 'thief@x.example' },
      replacedNotices: replacedNoticesAfter(books, at + 1),
    };
    const of = (kind: NoticeReference['kind'], when: number) =>
      readersOf({ kind, about: 'x', at: when, detail: '' }, none, members, at);
    const all = ['books@x.example', 'One@shop.example', 'two@shop.example'];
    expect(of('payout', at + 1).toSorted()).toEqual(all.toSorted());
    expect(of('key', at + replacedForMs)).toEqual(['books@x.example']);
    expect(of('key', at + 1 + replacedForMs)).toEqual([]);
    expect(of('disputed', at + 1)).toEqual([]);
    // Later ones do not push out the first.
    let many: Parameters<typeof replacedNoticesAfter>[0] = none;
    for (let time = 0; time < 20; time++)
      many = {
        ...many,
        mailNoticesTo: `${time}@x.example`,
        replacedNotices: replacedNoticesAfter(many, at + 2),
      };
    expect(many.replacedNotices).toHaveLength(8);
    expect(many.replacedNotices?.slice(0, 2)).toEqual(none.replacedNotices);
    expect(replacedNoticesAfter(many, at + 2 * replacedForMs)).toHaveLength(1);
  });

  test('of an invitation are the invited person, while it is open', () => {
    expect(to('invitation', 'invitation_1')).toEqual(['guest@x.example']);
    expect(to('invitation', 'invitation_1', undefined, at + 1)).toEqual([]);
    expect(to('invitation', 'invitation_2')).toEqual([]);
  });
});

test('the setting has kinds in their order, or none of them', () => {
  expect(parseNotices(' payout, key ')).toEqual(['key', 'payout']);
  expect(parseNotices('none')).toEqual([]);
  for (const text of ['key, key', 'other', 'none, key']) expect(parseNotices(text)).toBeUndefined();
  expect(formatNotices([])).toBe('none');
  expect(formatNotices(noticesOf({ mailNotices: undefined }))).toBeNull();
  expect(noticesOf({ mailNotices: 'none' })).toEqual([]);
});
