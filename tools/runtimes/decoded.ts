/** Results of the payload decoders for the messages of the test data, as texts that can be compared between runtimes. */
import { payloads } from '@brokerwire/payloads'
import wire from '../../testdata/fixtures/wire-messages.json' with { type: 'json' }

type Frame = Parameters<typeof payloads.order>[0] & Parameters<typeof payloads.module>[0]

/** One text for each message and each decoder, even if the decoder is not for that message. */
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
