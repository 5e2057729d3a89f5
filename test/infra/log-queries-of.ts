/**
 * Prints the saved log queries of a stack with 60 functions of the gateway and 10 workers, as JSON: the name and the number of
 * log groups of each. A process of its own, because the CDK loads slowly in a test.
 */
import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { addLogQueries } from '../../infra/log-queries.ts';

const stack = new Stack();
const groupsOf = (kind: string, count: number) =>
  Array.from({ length: count }, (_, index) =>
    LogGroup.fromLogGroupName(stack, `${kind}${index}`, `${kind}${index}`),
  );
addLogQueries(stack, 'dev', { gateway: groupsOf('gateway', 60), work: groupsOf('work', 10) });
const found = Object.values(Template.fromStack(stack).findResources('AWS::Logs::QueryDefinition'));
const counts = found.map(({ Properties: { Name, LogGroupNames } }) => [Name, LogGroupNames.length]);
process.stdout.write(JSON.stringify(Object.fromEntries(counts)));
