/** The payment page as a Lambda handler: how it is rendered, and what is shown where nothing else can be. */
import { type PageAnswer, type PageRequest, page } from '../http/page.ts';
import type { Route } from '../routes.ts';
import { paymentPageCsp, renderPaymentPage } from './payment-page.ts';
import type { PaymentPageView } from './payment-page-view.ts';

/** The handler of one of the page's routes. */
export function paymentPage(
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
