/** Names the page of the operator's documents that explains an alarm. */

/** Where the pages are in the repository. It has no host of its own, so the setting `runbookUrl` makes addresses of them. */
const repositoryFolder = 'docs/operate';

/** The pages of alarms that have the same steps as another one. */
const sharedPages: Readonly<Record<string, string>> = {
  DashboardServerErrors: 'server-errors',
  DashboardLatency: 'latency',
  CanaryObjective: 'canary-failing',
};

/**
 * Returns the address of an alarm's page.
 * @param name the name of the alarm. Further parts of one alarm have a number at the end, and all dead-letter queues share a page.
 * @param runbookUrl the address of `docs/operate` without a slash at its end
 */
export function alarmPage(name: string, runbookUrl = repositoryFolder): string {
  const [alarm = name] = /^\D+/.exec(name) ?? [];
  const own = alarm.replace(/\B[A-Z]/g, '-$&').toLowerCase();
  const page = alarm.endsWith('DeadLetters') ? 'dead-letters' : (sharedPages[alarm] ?? own);
  return `${runbookUrl}/alarms/${page}.md`;
}
