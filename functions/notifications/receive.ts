/** POST /notifications/:provider/:account: receives a notification of a payment provider. The signature authorizes it. */
import { rawEndpoint } from '../../shared/http/raw-endpoint.ts';
import { receiveNotification } from '../../shared/payments/checkouts/notification.ts';
import * as routes from '../../shared/routes.ts';

export const handler = rawEndpoint(routes.receiveNotification, async ({ params, headers, body, now }) => {
  const { provider = '', account = '' } = params;
  return (await receiveNotification({ provider, account }, headers, body, now)) ? 200 : 400;
});
