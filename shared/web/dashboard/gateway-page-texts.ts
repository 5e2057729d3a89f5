/** The English texts of the pages that the dashboard's gateway sends without a function. They contain no quotes. */
export const gatewayPageTexts = {
  requestId: 'Request ID',
  failed: {
    title: 'Something went wrong',
    explanation: 'The dashboard could not answer. Reload the page before you send a form again.',
  },
  throttled: {
    title: 'Too many requests',
    explanation:
      'The dashboard gets too many requests at the moment. Wait a few seconds and reload the page.',
  },
  tooLarge: {
    title: 'The form is too large',
    explanation: 'The dashboard accepts forms of up to 10 MB. Go back and shorten the texts.',
  },
  filtered: {
    title: 'The request was blocked',
    explanation:
      'The firewall of this deployment blocked the request. Ask the operator, and name the request ID.',
  },
  notFound: {
    title: 'Page not found',
    explanation: 'This page does not exist. Check the address.',
  },
  malformed: {
    title: 'The request is not valid',
    explanation: 'The dashboard cannot read the request. Go back and try again.',
  },
} as const;
