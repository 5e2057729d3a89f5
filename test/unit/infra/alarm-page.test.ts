import { expect, test } from '@jest/globals';
import { alarmPage } from '../../../infra/alarm-page.ts';

test.each([
  ['ServerErrors', 'server-errors'],
  ['DashboardServerErrors', 'server-errors'],
  ['FunctionErrors2', 'function-errors'],
  ['WebhookDeadLetters', 'dead-letters'],
])('the page of %s is %s.md', (name, page) => {
  expect(alarmPage(name)).toBe(`docs/operate/alarms/${page}.md`);
  expect(alarmPage(name, 'https://git.example.com/remit/docs/operate')).toBe(
    `https://git.example.com/remit/docs/operate/alarms/${page}.md`,
  );
});
