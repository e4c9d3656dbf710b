/** The entry point `@brokerwire/relay/webhook`: verifies and signs webhooks, in Node and on the edge. */
export { isRelayError, RelayError, type RelayErrorCode, type RelayErrorDetails } from '../relay-error.ts'
export { type SignWebhookOptions, signWebhook } from './sign-webhook.ts'
export {
  type VerifyWebhookOptions,
  type VerifyWebhookResult,
  verifyWebhook,
  type WebhookHeaders,
  type WebhookRule,
} from './verify-webhook.ts'
export type { WebhookSecrets } from './webhook-secrets.ts'
