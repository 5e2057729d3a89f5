/** Carries out what the forms of webhook endpoints ask for, with the transitions and the commit of the API. */

import { endpointTypeOf } from '../../../domain/webhooks/destination.ts';
import { parseFilter } from '../../../domain/webhooks/filter-text.ts';
import { startRecoveryCommand } from '../../../domain/webhooks/redelivery.ts';
import {
  createWebhookBody,
  recoverBody,
  rotateSecretBody,
  updateWebhookBody,
} from '../../../domain/webhooks/webhook.ts';
import {
  createWebhookCommand,
  deleteWebhookCommand,
  readRegistry,
  readWebhook,
  rotateSecretCommand,
  updateWebhookCommand,
} from '../../../domain/webhooks/webhook-store.ts';
import { webhookSealing } from '../../../platform/secrets/encryption.ts';
import { commitAttempt } from '../attempts/commit-attempt.ts';
import {
  type Failure,
  failureOf,
  formAttemptOf,
  RecordChangedError,
  requestOwnerOf,
} from '../attempts/failed-attempt.ts';
import type { ActionRequest, ActionResult, DashboardAction } from '../definitions.ts';
import { lineOf, linesOf, optionalLineOf, validateFields } from '../input/form-fields.ts';
import { readVersionField } from '../input/version-field.ts';
import { toApiTime } from '../input/zoned-times.ts';
import { changeEndpoint, showEndpointAgain } from './webhook-change.ts';
import { webhookFields } from './webhook-texts.ts';
import {
  showNewWebhookForm,
  showRecoverForm,
  showRotateForm,
  showSecret,
  showWebhookDeleteForm,
  showWebhookEditForm,
} from './webhook-views.ts';

const hourMs = 3_600_000;

const create: DashboardAction = {
  path: '/webhooks/new',
  ability: 'webhook-targets:write',
  formPage: () => '/webhooks/new',
  fields: ['description', 'apiVersion', 'filters'],
  optionalFields: ['url', 'target', 'events'],
  typed: {
    showAgain: async (request, failure) => showNewFormAgain(request, failure),
  },
  handle: async (request) => {
    const { context, form } = request;
    const showAgain = (failure: Failure) => showNewFormAgain(request, failure);
    const input = {
      ...endpointFields(form),
      type: endpointTypeOf(lineOf(form, 'target')),
      description: optionalLineOf(form, 'description'),
    };
    const sent = validateFields(createWebhookBody, input, webhookFields);
    const version = readVersionField(form);
    if (!sent.ok || !version.ok) {
      const errors = { ...(!sent.ok && sent.errors), ...(!version.ok && version.errors) };
      return showAgain({ errors, status: 400 });
    }
    const { now } = context;
    const { apiVersion } = version.output;
    const owner = requestOwnerOf(request);
    try {
      const result = await commitAttempt(
        {
          ...(await formAttemptOf(request, 'webhook.create', '', { ...sent.output, apiVersion })),
          sealing: webhookSealing,
        },
        () => readRegistry(owner),
        (registry) =>
          createWebhookCommand(owner, registry, { body: sent.output, host: undefined, now, apiVersion }),
      );
      return { view: showSecret(context, result.answer) };
    } catch (error) {
      const failure = failureOf(error, webhookFields);
      return failure && showAgain(failure);
    }
  },
};

const update: DashboardAction = {
  path: '/webhooks/:id/edit',
  ability: 'webhook-targets:write',
  formPage: ({ id }) => `/webhooks/${id}/edit`,
  fields: ['description', 'apiVersion', 'status', 'seen', 'filters'],
  optionalFields: ['url', 'target', 'events'],
  typed: {
    showAgain: (request, failure) => showEndpointAgain(request, showWebhookEditForm, failure),
  },
  handle: async (request) => {
    const { context, form } = request;
    const id = request.params.id ?? '';
    const description = optionalLineOf(form, 'description') ?? null;
    const apiVersion = lineOf(form, 'apiVersion');
    const input = { ...endpointFields(form), description, apiVersion, status: lineOf(form, 'status') };
    const sent = validateFields(updateWebhookBody, input, webhookFields);
    if (!sent.ok)
      return showEndpointAgain(request, showWebhookEditForm, { errors: sent.errors, status: 400 });
    const seen = Number(lineOf(form, 'seen'));
    return changeEndpoint(request, showWebhookEditForm, async () => {
      await commitAttempt(
        await formAttemptOf(request, 'webhook.update', id, { ...sent.output, seen }),
        () => readWebhook(requestOwnerOf(request), id),
        (webhook) =>
          updateWebhookCommand(
            webhook,
            { body: sent.output, host: undefined, now: context.now },
            (present) => {
              if (present.updatedAt !== seen) throw new RecordChangedError();
            },
          ),
      );
      return { redirectTo: context.url(`/webhooks/${id}`), notice: 'webhook_updated' };
    });
  },
};

const remove: DashboardAction = {
  path: '/webhooks/:id/delete',
  ability: 'webhooks:write',
  formPage: ({ id }) => `/webhooks/${id}/delete`,
  handle: async (request) => {
    const owner = requestOwnerOf(request);
    const id = request.params.id ?? '';
    return changeEndpoint(request, showWebhookDeleteForm, async () => {
      await commitAttempt(
        await formAttemptOf(request, 'webhook.delete', id, {}),
        () => Promise.all([readRegistry(owner), readWebhook(owner, id)]),
        ([registry, webhook]) => deleteWebhookCommand(registry, webhook, request.context.now),
      );
      return { redirectTo: request.context.url('/webhooks'), notice: 'webhook_deleted' };
    });
  },
};

const rotate: DashboardAction = {
  path: '/webhooks/:id/rotate-secret',
  ability: 'webhook-secrets:read',
  formPage: ({ id }) => `/webhooks/${id}/rotate-secret`,
  fields: ['overlapHours'],
  typed: {
    showAgain: (request, failure) => showEndpointAgain(request, showRotateForm, failure),
  },
  handle: async (request) => {
    const { context, form } = request;
    const id = request.params.id ?? '';
    const hours = lineOf(form, 'overlapHours');
    const input = { overlapHours: /^\d{1,3}$/.test(hours) ? Number(hours) : Number.NaN };
    const sent = validateFields(rotateSecretBody, input, webhookFields);
    if (!sent.ok) return showEndpointAgain(request, showRotateForm, { errors: sent.errors, status: 400 });
    const { overlapHours } = sent.output;
    return changeEndpoint(request, showRotateForm, async () => {
      const result = await commitAttempt(
        {
          ...(await formAttemptOf(request, 'webhook.rotate_secret', id, sent.output)),
          sealing: webhookSealing,
        },
        () => readWebhook(requestOwnerOf(request), id),
        (webhook) => rotateSecretCommand(webhook, overlapHours * hourMs, context.now),
      );
      return { view: showSecret(context, result.answer) };
    });
  },
};

const recover: DashboardAction = {
  path: '/webhooks/:id/recover',
  ability: 'webhooks:write',
  formPage: ({ id }) => `/webhooks/${id}/recover`,
  fields: ['since'],
  typed: {
    showAgain: (request, failure) => showEndpointAgain(request, showRecoverForm, failure),
  },
  handle: async (request) => {
    const { context, form } = request;
    const id = request.params.id ?? '';
    const sent = validateFields(
      recoverBody,
      { since: toApiTime(request.context, lineOf(form, 'since')) },
      webhookFields,
    );
    if (!sent.ok) return showEndpointAgain(request, showRecoverForm, { errors: sent.errors, status: 400 });
    return changeEndpoint(request, showRecoverForm, async () => {
      await commitAttempt(
        await formAttemptOf(request, 'webhook.recover', id, sent.output),
        () => readWebhook(requestOwnerOf(request), id),
        (webhook) => startRecoveryCommand(webhook, sent.output.since, context.now),
      );
      return { redirectTo: context.url(`/webhooks/${id}`), notice: 'recovery_started' };
    });
  },
};

export const webhookActions: readonly DashboardAction[] = [create, update, remove, rotate, recover];

const showNewFormAgain = ({ context, form }: ActionRequest, failure: Failure): ActionResult => ({
  view: showNewWebhookForm(context, { fields: form, failure }),
});

const endpointFields = (form: URLSearchParams) => ({
  url: optionalLineOf(form, 'url'),
  target: optionalLineOf(form, 'target'),
  events: form.getAll('events'),
  filters: linesOf(form, 'filters')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(parseFilter),
});
