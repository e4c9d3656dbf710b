/** Sends one signed request to a receiver of webhooks, with retries. */
import { systemClock } from '@brokerwire/core'
import { isLoopback, sleep } from '@brokerwire/core/internal'
import { signWebhook } from '@brokerwire/relay/webhook'
import { CliError, optionError } from '../cli-error.ts'
import type { DeadLetterRequest } from './dead-letters.ts'

const TIMEOUT_MS = 15_000
const FIRST_WAIT_MS = 1000
const MAX_WAIT_MS = 60_000
const GONE = 410

export interface PostOptions {
  readonly url: string
  readonly secrets: readonly string[]
  readonly maxAttempts: number
  readonly signal: AbortSignal
  /** Called after each attempt. @param reason - The reason of a failure. */
  readonly onAttempt: (attempt: number, reason: string | undefined) => void
}

/**
 * Reads the URL of a receiver. The error does not show it, because its query may contain a secret.
 *
 * @throws CliError `CLI_OPTION_INVALID`.
 */
export function readForwardUrl(text: string): string {
  const url = text.includes('://') ? text : `http://${text}`
  const { protocol, hostname, username, password, href } = URL.canParse(url)
    ? new URL(url)
    : { protocol: '', hostname: '', username: '', password: '', href: '' }
  const isAllowed = protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
  if (!isAllowed || username + password !== '')
    throw optionError(
      '--forward-to',
      'must be an https: URL without credentials, or http: on a loopback host',
    )
  return href
}

/**
 * Sends a request until the receiver accepts it. Each attempt has a new timestamp and signature.
 *
 * @throws CliError `CLI_UNREACHABLE` after the last attempt, or after 410 Gone; the signal's reason.
 */
export async function postWebhook(request: DeadLetterRequest, options: PostOptions): Promise<void> {
  const { maxAttempts, signal, onAttempt } = options
  for (let attempt = 1; ; attempt += 1) {
    signal.throwIfAborted()
    const { status, reason } = await post(request, options)
    onAttempt(attempt, reason)
    if (reason === undefined) return
    if (status === GONE || attempt === maxAttempts)
      throw new CliError(
        'CLI_UNREACHABLE',
        `receiver must accept line ${request.line}; the last attempt ended with ${reason}. Run the command again to continue with this line`,
        { details: { reason }, retryable: status !== GONE },
      )
    await sleep(systemClock, Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1)), signal)
  }
}

async function post(
  { webhookId, contentType, body }: DeadLetterRequest,
  { url, secrets, signal }: PostOptions,
): Promise<{ readonly status?: number; readonly reason: string | undefined }> {
  const signature = await signWebhook({ id: webhookId, body, secrets })
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': contentType, 'user-agent': 'brokerwire', ...signature },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    })
    await response.body?.cancel()
    const { status } = response
    return { status, reason: response.ok ? undefined : `status ${status}` }
  } catch (error) {
    signal.throwIfAborted()
    return { reason: describe(error) }
  }
}

/** Returns the code of a connection's error. The URL, which may contain a secret, is not shown. */
function describe(error: unknown): string {
  const { name, cause } = error as Error
  const code = (cause as { readonly code?: unknown } | undefined)?.code
  if (typeof code === 'string') return code
  return name === 'TimeoutError' ? `no response within ${TIMEOUT_MS} ms` : 'a failed connection'
}
