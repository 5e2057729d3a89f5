/** Creates the saved queries of CloudWatch Logs Insights that RUNBOOK.md uses. */
import { type ILogGroup, QueryDefinition, QueryString } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';

const logQueries = {
  'failed requests': {
    fields: ['@timestamp', 'requestId', 'route', 'account', 'error.name', 'error.message', 'error.stack'],
    filterStatements: ['message = "request"', 'status >= 500'],
  },
  'failed records': {
    fields: ['@timestamp', 'function', 'record', 'error.name', 'error.message', 'error.stack'],
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
    fields: ['@timestamp', 'durationMs', 'route', 'dynamodbCalls', 'dynamodbCallsInSequence', 'requestId'],
    filterStatements: ['message = "request"'],
    sort: 'durationMs desc',
  },
  'changes by API key': {
    fields: ['@timestamp', 'key', 'account', 'mode', 'route', 'status', 'source', 'requestId'],
    filterStatements: ['message = "request"', 'ispresent(key)', 'route not like /^GET/'],
  },
  'failed refunds': {
    fields: ['@timestamp', 'event', 'mode'],
    filterStatements: ['message = "event"', 'type = "refund.failed"'],
  },
  differences: {
    fields: ['@timestamp', 'account', 'mode', 'id', 'rule', 'expected', 'found'],
    filterStatements: ['message = "difference"'],
  },
  'deliveries by endpoint': {
    filterStatements: ['message = "delivery"'],
    statsStatements: ['count(*) as attempts, max(DeliveryLag) as lagMs by webhook, result'],
    sort: 'attempts desc',
  },
} as const;

/** Saves the queries over `logGroups` in a folder with the deployment's name. */
export function addLogQueries(scope: Construct, deployment: string, logGroups: ILogGroup[]): void {
  for (const [name, query] of Object.entries(logQueries)) {
    new QueryDefinition(scope, `Query ${name}`, {
      queryDefinitionName: `remit-${deployment}/${name}`,
      queryString: new QueryString({ sort: '@timestamp desc', limit: 100, ...(query as object) }),
      logGroups,
    });
  }
}
