/**
 * Decodes the messages of the test data with all payload decoders. The results are strings that can be
 * compared between runtimes.
 */
import { payloads } from '@brokerwire/payloads'
import wire from '../../testdata/fixtures/wire-messages.json' with { type: 'json' }

type Frame = Parameters<typeof payloads.order>[0] & Parameters<typeof payloads.module>[0]

/** Returns one string for each message and decoder, even if the decoder does not support the message. */
export function decodedTexts(): string[] {
  return wire.messages.flatMap(({ message }) => {
    const frame = message as unknown as Frame
    return [
      payloads.order(frame),
      payloads.position(frame),
      payloads.unknown(frame),
      payloads.module(frame),
    ].map((result) =>
      JSON.stringify(result, (_key, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value)),
    )
  })
}
