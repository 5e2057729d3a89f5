/** POST /notifications/:provider/:account: receives a notification of a payment provider. The signature authorizes it. */
import { rawEndpoint } from '../../shared/api/http/raw-endpoint.ts';
import * as routes from '../../shared/api/routes.ts';
import { receiveNotification } from '../../shared/domain/payments/checkouts/notification.ts';

export const handler = rawEndpoint(routes.receiveNotification, async ({ params, headers, body, now }) => {
  const { provider = '', account = '' } = params;
  return (await receiveNotification({ provider, account }, headers, body, now)) ? 200 : 400;
});
