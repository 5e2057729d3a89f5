/** Names the page of the operator's documents that explains an alarm. */

/** The pages of alarms that have the same steps as another one. */
const sharedPages: Readonly<Record<string, string>> = {
  DashboardServerErrors: 'server-errors',
  DashboardLatency: 'latency',
  CanaryObjective: 'canary-failing',
};

/**
 * Returns the path of an alarm's page in the repository.
 * @param name the name of the alarm. Further parts of one alarm have a number at the end, and all dead-letter queues share a page.
 */
export function alarmPage(name: string): string {
  const [alarm = name] = /^\D+/.exec(name) ?? [];
  const own = alarm.replace(/\B[A-Z]/g, '-$&').toLowerCase();
  const page = alarm.endsWith('DeadLetters') ? 'dead-letters' : (sharedPages[alarm] ?? own);
  return `docs/operate/alarms/${page}.md`;
}
