/**
 * Creates the saved queries of CloudWatch Logs Insights that docs/operate uses.
 *
 * A query searches at most 50 log groups, so each searches only those of the functions that write its message. If these are
 * more, several queries share them.
 */
import { type ILogGroup, QueryDefinition, QueryString } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';

/** The most log groups that a query can search. */
const maxLogGroups = 50;

const logQueries = {
  'failed requests': {
    fields: ['@timestamp', 'requestId', 'route', 'account', 'error.name', 'error.message', 'error.stack'],
    filterStatements: ['message = "request"', 'status >= 500'],
  },
  'failed records': {
    fields: [
      '@timestamp',
      'function',
      'account',
      'reference',
      'record',
      'error.name',
      'error.message',
      'error.stack',
    ],
    filterStatements: ['message = "record failed"'],
  },
  'errors by code and account': {
    filterStatements: ['message = "request"', 'ispresent(code)'],
    statsStatements: ['count(*) as requests by code, account, source'],
    sort: 'requests desc',
  },
  'refused requests': {
    filterStatements: ['message = "request"', 'ispresent(refusedStatus)'],
    statsStatements: ['count(*) as requests by refusedStatus, route, account, source'],
    sort: 'requests desc',
  },
  'slow requests': {
    fields: [
      '@timestamp',
      'durationMs',
      'route',
      'account',
      'dynamodbCalls',
      'dynamodbCallsInSequence',
      'requestId',
    ],
    filterStatements: ['message = "request"'],
    sort: 'durationMs desc',
  },
  'changes by API key': {
    fields: ['@timestamp', 'key', 'account', 'mode', 'route', 'status', 'source', 'requestId'],
    filterStatements: ['message = "request"', 'ispresent(key)', 'route not like /^GET/'],
  },
  'failed refunds': {
    fields: ['@timestamp', 'account', 'mode', 'event'],
    filterStatements: ['message = "event"', 'type = "refund.failed"'],
  },
  differences: {
    fields: ['@timestamp', 'account', 'mode', 'id', 'rule', 'expected', 'found'],
    filterStatements: ['message = "difference"'],
  },
  'deliveries by endpoint': {
    filterStatements: ['message = "delivery"'],
    statsStatements: ['count(*) as attempts, max(DeliveryLag) as lagMs by account, mode, webhook, result'],
    sort: 'attempts desc',
  },
} as const;

/** The functions that write a message, by the message. */
const writers = {
  request: ['gateway'],
  'record failed': ['work'],
  difference: ['work'],
  delivery: ['work'],
  event: ['gateway', 'work'],
} as const;

/** The log groups of the functions behind the gateway, and of those that work in the background. */
export type LogGroups = Readonly<Record<'gateway' | 'work', readonly ILogGroup[]>>;

/** Saves the queries in a folder with the deployment's name. */
export function addLogQueries(scope: Construct, deployment: string, logGroups: LogGroups): void {
  for (const [name, query] of Object.entries(logQueries)) {
    const [, message = ''] = /^message = "(.*)"$/.exec(query.filterStatements[0]) ?? [];
    const searched = writers[message as keyof typeof writers].flatMap((kind) => logGroups[kind]);
    const count = Math.ceil(searched.length / maxLogGroups);
    for (let part = 1; part <= count; part++) {
      new QueryDefinition(scope, part === 1 ? `Query ${name}` : `Query ${name} ${part}`, {
        queryDefinitionName: `remit-${deployment}/${name}${count > 1 ? ` (${part} of ${count})` : ''}`,
        queryString: new QueryString({ sort: '@timestamp desc', limit: 100, ...(query as object) }),
        logGroups: searched.slice((part - 1) * maxLogGroups, part * maxLogGroups),
      });
    }
  }
}
