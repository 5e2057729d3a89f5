/** Runs the attempts to change a webhook endpoint, and shows the form again after one that failed. */

import type { Webhook } from '../../../domain/webhooks/webhook.ts';
import { readWebhook } from '../../../domain/webhooks/webhook-store.ts';
import { type FailedForm, type Failure, failureOf, requestOwnerOf } from '../attempts/failed-attempt.ts';
import type { DashboardContext } from '../context.ts';
import type { ActionRequest, ActionResult, DashboardView } from '../definitions.ts';
import { webhookFields, webhookTexts } from './webhook-texts.ts';

type ShowForm = (
  context: DashboardContext,
  webhook: Webhook,
  failed: FailedForm<URLSearchParams>,
) => DashboardView;

/** Runs an attempt to change an endpoint. Shows the form again with the error if it had no effect. */
export async function changeEndpoint(
  request: ActionRequest,
  show: ShowForm,
  run: () => Promise<ActionResult>,
): Promise<ActionResult | undefined> {
  try {
    return await run();
  } catch (error) {
    const failure = failureOf(error, webhookFields, webhookTexts.changed);
    return failure && showEndpointAgain(request, show, failure);
  }
}

/** Shows a form again, with the endpoint as it is now and the values that the user typed. */
export async function showEndpointAgain(
  request: ActionRequest,
  show: ShowForm,
  failure: Failure,
): Promise<ActionResult | undefined> {
  const { record: webhook } = await readWebhook(requestOwnerOf(request), request.params.id ?? '');
  return webhook && { view: show(request.context, webhook, { fields: request.form, failure }) };
}
