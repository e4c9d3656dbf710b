/** Runs `brokerwire relay replay-dead-letters`. */
import { optionError } from '../cli-error.ts'
import { EXIT } from '../exit-status.ts'
import type { Run } from '../frame/definition.ts'
import { readSecret } from '../input.ts'
import { readDeadLetters, requestsAfterPosition, writePosition } from '../relay/dead-letters.ts'
import { postWebhook, readForwardUrl } from '../relay/post-webhook.ts'
import { parseWebhookSecrets } from '../relay/webhook.ts'

interface Flags {
  readonly forwardTo?: string
  readonly webhookSecretFile?: string
  readonly maxAttempts: number
}

export const run: Run<Flags> = async ({ args, flags, io }) => {
  const file = String(args[0])
  const { forwardTo, webhookSecretFile, maxAttempts } = flags
  if (forwardTo === undefined) throw optionError('--forward-to', 'must be given: the URL of the receiver')
  if (webhookSecretFile === undefined)
    throw optionError('--webhook-secret-file', 'must be given: the file of sink.secret')
  const url = readForwardUrl(forwardTo)
  const secrets = await parseWebhookSecrets('--webhook-secret-file', await readSecret(webhookSecretFile))
  for (const secret of secrets) io.keepSecret(secret)
  const { requests, incomplete } = await readDeadLetters(file)
  for (const line of incomplete)
    io.err(`line ${line} is incomplete and is skipped: the relay was killed while it wrote it`)
  const remaining = await requestsAfterPosition(file, requests)
  for (const request of remaining) {
    const { webhookId, line } = request
    await postWebhook(request, {
      url,
      secrets,
      maxAttempts,
      signal: io.signal,
      onAttempt: (attempt, reason) =>
        io.out(
          `line ${line}  ${webhookId}  ${reason === undefined ? 'accepted' : `${reason} at attempt ${attempt}`}`,
        ),
    })
    // The position follows the response: after a kill, one request is sent again with the same webhook-id.
    await writePosition(file, request)
  }
  io.err(`${file}: ${remaining.length} of ${requests.length} requests sent`)
  return EXIT.done
}
