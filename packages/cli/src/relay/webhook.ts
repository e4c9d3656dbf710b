/** The sink of a relay that sends events as webhooks. Loaded only if the configuration uses it. */
import { isRelayError, type RelayWebhookConfig } from '@brokerwire/relay'
import { signWebhook } from '@brokerwire/relay/webhook'
import type { WebhookSinkOptions } from '@brokerwire/relay/webhook-sink'
import { optionError } from '../cli-error.ts'
import type { RelayLog } from './log.ts'
import { errorFields } from './log.ts'
import type { ReadSecret } from './read-secret.ts'

/** Splits a text into secrets. @throws CliError `CLI_OPTION_INVALID`, which does not show a secret. */
export async function parseWebhookSecrets(field: string, text: string): Promise<readonly string[]> {
  const secrets = text.split(/\s+/).filter((secret) => secret !== '')
  try {
    await signWebhook({ id: 'check', body: new Uint8Array(), secrets })
  } catch (error) {
    if (!isRelayError(error, 'RELAY_OPTION_INVALID')) throw error
    const { option, expected, received } = error.details
    const which = option.replace('secrets', field)
    throw optionError(which, `must be ${expected}; received ${received}`)
  }
  return secrets
}

/**
 * Reads the secrets of the configuration.
 *
 * @throws CliError `CLI_OPTION_INVALID`; the errors of `readSecret`.
 */
export async function readWebhookSecrets(
  { secret }: Pick<RelayWebhookConfig, 'secret'>,
  readSecret: ReadSecret,
  keepSecret: (secret: string) => void,
): Promise<readonly string[]> {
  const text = await readSecret('sink.secret', secret)
  const secrets = await parseWebhookSecrets('sink.secret', text.reveal())
  // Errors may quote a single one.
  for (const one of secrets) keepSecret(one)
  return secrets
}

/** Returns the options of the sinks of all apps, without their addresses and store. */
export function webhookSinkOptions(
  config: RelayWebhookConfig,
  { log, readSecret }: { readonly log: RelayLog; readonly readSecret: ReadSecret },
): (stream: string) => Omit<WebhookSinkOptions, 'address' | 'store' | 'onState'> {
  const { type: _, secret: __, ...options } = config
  return (stream) => ({
    ...options,
    secrets: () => readWebhookSecrets(config, readSecret, log.keepSecret),
    onSecretsFailed: (error) => log.write('webhook.secret-failed', { stream, ...errorFields(error) }),
    onDeadLetter: ({ messages, file, reason }) =>
      log.write('webhook.dead-letter', { stream, messages, file, reason }),
  })
}
