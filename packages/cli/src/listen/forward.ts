/** `listen --forward-to`: sends the events of a stream to a URL as webhooks. */
import { randomBytes } from 'node:crypto'
import { abortable } from '@brokerwire/core/internal'
import { isRelayError } from '@brokerwire/relay'
import {
  createWebhookForwarder,
  type WebhookAttempt,
  type WebhookForwarder,
} from '@brokerwire/relay/webhook-sink'
import { optionError } from '../cli-error.ts'
import { readSecret } from '../input.ts'
import type { GuardedIo } from '../io.ts'
import { parseWebhookSecrets } from '../relay/webhook.ts'
import type { Line } from '../render/line.ts'
import type { StreamItem } from '../stream-item.ts'
import type { OpenedStream } from './opened-stream.ts'
import type { EventStream } from './streams.ts'

/** Sends items to a receiver. */
export interface Forward extends AsyncDisposable {
  /** Called once, before the first item. @param out - Prints the line of an attempt. */
  begin(opened: OpenedStream, out: (line: Line) => void): void
  /** Sends an item. Resolves when the receiver has accepted it. */
  send(item: StreamItem): Promise<void>
}

interface Target {
  readonly forwarder: WebhookForwarder
  readonly stream: EventStream
  readonly signal: AbortSignal
}

/** The subscriptions of a relay that have the same events. */
const SUBSCRIPTIONS = { trade: 'trade', account: 'trade', position: 'position', module: 'module' } as const

/** The receiver is often restarted during development, so waits are short. */
const MAX_RETRY_WAIT_MS = 5000

/**
 * Reads the secrets, or creates one and prints it.
 *
 * @throws CliError `CLI_OPTION_INVALID`.
 */
export async function createForward(
  forwardTo: string,
  secretFile: string | undefined,
  io: GuardedIo,
): Promise<Forward> {
  const url = forwardTo.includes('://') ? forwardTo : `http://${forwardTo}`
  const text =
    secretFile === undefined ? `whsec_${randomBytes(32).toString('base64')}` : await readSecret(secretFile)
  const secrets = await parseWebhookSecrets('--webhook-secret-file', text)
  if (secretFile === undefined) io.err(`secret of the webhooks, for this run: ${text}`)
  else for (const secret of secrets) io.keepSecret(secret)
  let target: Target | undefined
  return {
    begin({ stream, connection, signal }, out) {
      const { environment, region } = connection
      const address = { prefix: 'brokerwire', environment, region, app: 'listen' }
      const onAttempt = (attempt: WebhookAttempt): void => out(attemptLine(attempt, Date.now()))
      target = { stream, signal, forwarder: openForwarder({ address, url, secrets, onAttempt }) }
    },
    async send(item) {
      if (target === undefined) return
      const { forwarder, stream, signal } = target
      await abortable(forwarder.forward(SUBSCRIPTIONS[stream], item), signal)
    },
    async [Symbol.asyncDispose]() {
      await target?.forwarder.close()
    },
  }
}

function openForwarder(
  options: Omit<Parameters<typeof createWebhookForwarder>[0], 'maxRetryWaitMs' | 'allowPrivateAddresses'>,
): WebhookForwarder {
  try {
    return createWebhookForwarder({
      ...options,
      maxRetryWaitMs: MAX_RETRY_WAIT_MS,
      allowPrivateAddresses: true,
    })
  } catch (error) {
    if (!isRelayError(error, 'RELAY_OPTION_INVALID')) throw error
    const { expected, received } = error.details
    throw optionError('--forward-to', `must be ${expected}; received ${received}`)
  }
}

/** Returns the line of an attempt. */
function attemptLine({ id, attempt, status, reason, durationMs }: WebhookAttempt, at: number): Line {
  const result = reason === undefined ? String(status) : `${reason} at attempt ${attempt}`
  return {
    at,
    tag: 'webhook',
    text: `${result}  ${id}  ${durationMs} ms`,
    tone: reason === undefined ? 'good' : 'bad',
  }
}
