import { expect, test } from 'vitest'
import { type FeedMessage, readMessages } from './server-sent.ts'

const TEXT =
  'event: hello\ndata: {"a":"b: c"}\n\nevent: events\nid: e 1 2\ndata: ["\u00e9\u20ac\\n"]\n\nevent: cut\ndata: 1'

test.each([1, 2, 7, 1000])('messages are whole, wherever their bytes are cut: %d at a time', async (size) => {
  const bytes = new TextEncoder().encode(TEXT)
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size))
      controller.close()
    },
  })
  const seen: FeedMessage[] = []
  await readMessages(body, (message) => seen.push(message))
  expect(seen).toEqual([
    { name: 'hello', id: undefined, data: '{"a":"b: c"}' },
    { name: 'events', id: 'e 1 2', data: '["\u00e9\u20ac\\n"]' },
  ])
})
