/** The output of the stateful stack that has the stream ARN of its table, if the stack did not create that table. */
export const outsideTableOutput = 'OutsideTableStreamArn';
