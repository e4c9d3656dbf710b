/** The configuration of a durable consumer, compared with the options of its reader. */
import { escapeControlChars } from '@brokerwire/core'
import type { ConsumerInfo } from '@nats-io/jetstream'
import type { RelayError } from '../../relay-error.ts'
import { sinkMisconfigured } from '../../sink/sink-errors.ts'

export const getAckPolicy = (ack: 'auto' | 'manual') =>
  ack === 'auto' ? ('all' as const) : ('explicit' as const)

/**
 * Compares the configuration of a consumer with the options.
 *
 * @throws RelayError `RELAY_SINK_MISCONFIGURED` if the consumer was created with other options.
 */
export function requireSameConfig(
  config: ConsumerInfo['config'],
  options: {
    readonly stream: string
    readonly durableName: string
    readonly subject: string
    readonly ack: 'auto' | 'manual'
  },
): void {
  const { stream, durableName, subject, ack } = options
  const expected = { filter_subject: subject, ack_policy: getAckPolicy(ack) }
  for (const setting of ['filter_subject', 'ack_policy'] as const) {
    const received = String(config[setting])
    if (received === expected[setting]) continue
    const text = `${setting} of consumer ${durableName} of ${stream} must be ${expected[setting]}; received ${escapeControlChars(received, 200)}. Use another durableName, or delete the consumer`
    throw sinkMisconfigured(stream, text, {
      setting,
      expected: expected[setting],
      received: escapeControlChars(received, 200),
      command: `nats consumer rm ${stream} ${durableName}`,
    })
  }
}

/** Creates the error of a shared consumer that was deleted while it was read. */
export function consumerMissing(stream: string): RelayError {
  const text = `the consumer of ${stream} must exist while it is read; it was deleted`
  return sinkMisconfigured(stream, text, {
    setting: 'consumer',
    expected: 'a consumer of this name',
    received: 'none',
  })
}
