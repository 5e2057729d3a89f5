/** Creates the Lambda handlers of the payment page, with the views for refused requests and internal errors. */
import { type PageAnswer, type PageRequest, page } from '../http/page.ts';
import type { Route } from '../routes.ts';
import { paymentPageCsp, renderPaymentPage } from './payment-page.ts';
import type { PaymentPageView } from './payment-page-view.ts';

/** Creates the handler of one of the page's routes. */
export function createPaymentPageHandler(
  route: Route,
  handle: (request: PageRequest) => Promise<PageAnswer<PaymentPageView>>,
) {
  return page<PaymentPageView>(route, {
    handle,
    render: renderPaymentPage,
    contentSecurityPolicy: paymentPageCsp,
    refused: { kind: 'refused' },
    failed: (requestId) => ({ kind: 'error', requestId }),
  });
}
