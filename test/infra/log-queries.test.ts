/** Tests which log groups the saved queries search. CloudWatch searches at most 50 in one query. */
import { expect, test } from '@jest/globals';
import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { addLogQueries } from '../../infra/log-queries.ts';

test('a saved query that more than 50 functions serve is divided', () => {
  const stack = new Stack();
  const groupsOf = (kind: string, count: number) =>
    Array.from({ length: count }, (_, index) =>
      LogGroup.fromLogGroupName(stack, `${kind}${index}`, `${kind}${index}`),
    );
  addLogQueries(stack, 'dev', { gateway: groupsOf('gateway', 60), work: groupsOf('work', 10) });
  const found = Object.values(Template.fromStack(stack).findResources('AWS::Logs::QueryDefinition'));
  const countsOf = (name: string) =>
    Object.fromEntries(
      found.flatMap(({ Properties: { Name, LogGroupNames } }) =>
        Name.startsWith(`remit-dev/${name}`) ? [[Name.replace('remit-dev/', ''), LogGroupNames.length]] : [],
      ),
    );
  expect(countsOf('failed requests')).toEqual({
    'failed requests (1 of 2)': 50,
    'failed requests (2 of 2)': 10,
  });
  expect(countsOf('failed refunds')).toEqual({
    'failed refunds (1 of 2)': 50,
    'failed refunds (2 of 2)': 20,
  });
  expect(countsOf('differences')).toEqual({ differences: 10 });
});
