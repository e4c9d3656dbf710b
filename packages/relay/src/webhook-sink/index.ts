/** The entry point `@brokerwire/relay/webhook-sink`: sends streams as webhooks. */
export type { DeadLetterOptions } from './dead-letters.ts'
export { createWebhookForwarder, type WebhookForwarder, type WebhookForwarderOptions } from './forwarder.ts'
export type { WebhookAttempt } from './webhook-attempt.ts'
export { createWebhookSink } from './webhook-sink.ts'
export type { DeadLetterReport, WebhookSinkOptions } from './webhook-sink-options.ts'
