/** The option `decoders`: one is chosen by the message type, and reads only its range. */
import { create } from '@bufbuild/protobuf'
import { StringValueSchema } from '@bufbuild/protobuf/wkt'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Echo } from '../test/transport/echo-service.ts'
import { createHarness, type Harness } from '../test/transport/harness.ts'
import { codeName, errorOf, outcomeOf } from '../test/transport/outcome.ts'
import { createStreamClient } from './create-stream-client.ts'
import { createStreamTransport, type StreamTransport } from './create-stream-transport.ts'
import type { MessageDecoder } from './decoding/generated-decoders.ts'

let harness: Harness
let url: string
let transport: StreamTransport | undefined
beforeEach(async () => {
  harness = createHarness('ours')
  const server = await harness.server((call) => {
    call.send('one', 'two')
    call.end()
  })
  url = server.url
})
afterEach(async () => {
  transport?.close()
  await harness.close()
})

const TYPE = 'google.protobuf.StringValue'

function open(type: string, decoder: MessageDecoder) {
  transport = createStreamTransport({ baseUrl: url, decoders: new Map([[type, decoder]]) })
  return createStreamClient(Echo, transport).serverStream({})
}

test('gives a decoder the range of each message', async () => {
  const decoder: MessageDecoder = (bytes, start, end) =>
    create(StringValueSchema, { value: `${Buffer.from(bytes.subarray(start, end)).toString('hex')}` })
  expect(await outcomeOf(open(TYPE, decoder))).toEqual(['0a036f6e65', '0a0374776f', 'ok'])
})

test('does not call the decoder of another type', async () => {
  const decoder: MessageDecoder = () => {
    throw new Error('not mine')
  }
  expect(await outcomeOf(open('test.Other', decoder))).toEqual(['one', 'two', 'ok'])
})

test('ends the call with internal if a decoder throws, after the messages before it', async () => {
  let calls = 0
  const decoder: MessageDecoder = () => {
    calls++
    if (calls === 2) throw new Error('premature EOF')
    return create(StringValueSchema, { value: 'fine' })
  }
  const stream = open(TYPE, decoder)
  expect((await stream.next()).value?.value).toBe('fine')
  const error = await errorOf(stream)
  expect({ code: codeName(error), message: error.rawMessage }).toEqual({
    code: 'internal',
    message: 'a message cannot be decoded: premature EOF',
  })
})

test('does not call a decoder before the message is read', async () => {
  let calls = 0
  const stream = open(TYPE, () => {
    calls++
    return create(StringValueSchema)
  })
  await stream.next()
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
  expect(calls).toBe(1)
  await stream.return()
})
