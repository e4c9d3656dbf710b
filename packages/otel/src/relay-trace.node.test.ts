/** The trace context in the messages of a relay, with SDK 2 and a sink in memory. */
import { expect, onTestFinished, test } from 'vitest'
import { createTelemetry } from './index.ts'
import { createSdk } from './test/sdk.ts'

function setUp() {
  const sdk = createSdk()
  onTestFinished(() => sdk.close())
  return { sdk, telemetry: createTelemetry(sdk) }
}

/** A sink with a private field, as the sinks of the relay have. */
class MemorySink {
  readonly #stored: { readonly key: string; readonly headers: Readonly<Record<string, string>> }[] = []
  error: Error | undefined
  maxHeaders = 10

  async publish(
    batch: readonly { readonly key: string; readonly headers: Readonly<Record<string, string>> }[],
  ) {
    if (this.error !== undefined) throw this.error
    this.#stored.push(...batch)
    return { sequence: this.#stored.length }
  }

  checkSize({ headers }: { readonly headers: Readonly<Record<string, string>> }) {
    return Object.keys(headers).length > this.maxHeaders ? { maxBytes: this.maxHeaders } : undefined
  }

  stored() {
    return this.#stored
  }
}

test('the span of a reader links to the span that published the message', async () => {
  const { sdk, telemetry } = setUp()
  const sink = telemetry.traceSink(new MemorySink())
  const batch = [{ key: 'a', headers: { 'Brokerwire-Type': 'event' } }]
  expect(await sink.publish(batch)).toEqual({ sequence: 1 })
  const [message] = sink.stored()
  expect(message).toMatchObject({ key: 'a', headers: { 'Brokerwire-Type': 'event' } })
  const [published] = sdk.spans()
  expect(published).toMatchObject({
    kind: 3,
    attributes: { 'messaging.operation.type': 'send', 'messaging.batch.message_count': 1 },
  })
  const links = telemetry.messageLinks((name) => message?.headers[name])
  sdk.tracer.startSpan('handle', { links }).end()
  expect(sdk.spans()[1]?.links[0]?.context).toMatchObject({
    traceId: published?.spanContext().traceId,
    spanId: published?.spanContext().spanId,
  })
})

test('a message that would be oversized with the headers is stored without them', async () => {
  const { telemetry } = setUp()
  const inner = new MemorySink()
  inner.maxHeaders = 2
  const small = { key: 'a', headers: { 'Brokerwire-Type': 'event' } }
  const large = { key: 'b', headers: { 'Brokerwire-Type': 'event', 'Brokerwire-Id': '1' } }
  const sink = telemetry.traceSink(inner)
  await sink.publish([small, large])
  const [first, second] = inner.stored()
  expect(Object.keys(first?.headers ?? {})).toContain('traceparent')
  expect(second).toEqual(large)
})

test('a message without a trace context, or with a damaged one, has no link', () => {
  const { telemetry } = setUp()
  expect(telemetry.messageLinks(() => undefined)).toEqual([])
  expect(telemetry.messageLinks(() => '')).toEqual([])
  expect(telemetry.messageLinks(() => 'damaged')).toEqual([])
})

test('an error of the sink ends the span and is passed on', async () => {
  const { sdk, telemetry } = setUp()
  const inner = new MemorySink()
  inner.error = Object.assign(new Error('fenced'), { code: 'RELAY_FENCED' })
  await expect(telemetry.traceSink(inner).publish([])).rejects.toBe(inner.error)
  expect(sdk.spans()[0]).toMatchObject({ status: { code: 2 }, attributes: { 'error.type': 'RELAY_FENCED' } })
})
