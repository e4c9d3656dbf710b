/**
 * The queue of a slow consumer: it gets the latest state of each symbol, trades up to a limit, and the number of
 * dropped items.
 */
import { describe, expect, test } from 'vitest'
import { kindFromTopic, MessageItem, messageSize } from '../items/message-items.ts'
import type { QuotesNotice } from '../notices.ts'
import { ConflatingQueue } from './conflating-queue.ts'

function message(topic: string, symbol: string | undefined, size = 10): MessageItem {
  return new MessageItem({
    kind: kindFromTopic(topic),
    topic,
    symbol,
    payload: new Uint8Array(size),
    connection: 1,
    receivedAtMs: 0,
    duplicate: false,
  })
}

const stalled = (idleMs: number): QuotesNotice => ({
  type: 'notice',
  kind: 'stalled',
  atMs: 0,
  connection: 1,
  idleMs,
  symbols: 1,
})

function outbox(maxTickBytes = 100_000, maxStateBytes = 100_000): ConflatingQueue {
  return new ConflatingQueue({ maxTickBytes, maxStateBytes }, () => 77)
}

function drain(queue: ConflatingQueue): string[] {
  const seen: string[] = []
  for (let item = queue.shift(); item !== undefined; item = queue.shift()) {
    if (item.type === 'message')
      seen.push(`${item.kind} ${item.symbol}${item.replaced > 0 ? ` +${item.replaced}` : ''}`)
    else if (item.kind === 'overflow') seen.push(`dropped ${item.messages}, ${item.bytes} bytes`)
    else seen.push(item.kind)
  }
  return seen
}

describe('states', () => {
  test('queues the latest state of a symbol once, at the position of the first', () => {
    const queue = outbox()
    const latest = message('snapshot', 'A')
    for (const item of [
      message('snapshot', 'A'),
      message('snapshot', 'B'),
      message('snapshot', 'A'),
      latest,
    ]) {
      queue.message(item)
    }
    expect(queue.size).toBe(2)
    expect(queue.shift()).toBe(latest)
    expect(latest.replaced).toBe(2)
    expect(drain(queue)).toEqual(['snapshot B'])
  })

  test('does not conflate a quote with a snapshot, or different topics', () => {
    const queue = outbox()
    for (const topic of ['snapshot', 'quote', 'event-snapshot', 'event-quote']) {
      queue.message(message(topic, 'A'))
      queue.message(message(topic, 'A'))
    }
    expect(drain(queue)).toEqual(['snapshot A +1', 'quote A +1', 'event-snapshot A +1', 'event-quote A +1'])
  })

  test('appends a state again after it was taken', () => {
    const queue = outbox()
    queue.message(message('snapshot', 'A'))
    queue.shift()
    queue.message(message('snapshot', 'A'))
    expect(drain(queue)).toEqual(['snapshot A'])
  })

  test('does not starve a symbol if another one is frequent', () => {
    const queue = outbox()
    const seen: string[] = []
    for (let round = 0; round < 50; round += 1) {
      queue.message(message('snapshot', 'LOUD'))
      queue.message(message('snapshot', `Q${round % 5}`))
      if (round % 2 === 1) {
        const item = queue.shift()
        if (item?.type === 'message') seen.push(item.symbol ?? '')
      }
    }
    expect(new Set(seen)).toEqual(new Set(['LOUD', 'Q0', 'Q1', 'Q2', 'Q3', 'Q4']))
  })

  test('drops and counts the oldest beyond the limit', () => {
    const size = messageSize(message('snapshot', 'S0'))
    const queue = outbox(0, size * 3)
    for (let index = 0; index < 5; index += 1) queue.message(message('snapshot', `S${index}`))
    expect(queue.bytes).toBe(size * 3)
    expect(drain(queue)).toEqual(['dropped 2, 20 bytes', 'snapshot S2', 'snapshot S3', 'snapshot S4'])
    // A new state of a dropped symbol is queued again.
    queue.message(message('snapshot', 'S0'))
    expect(drain(queue)).toEqual(['snapshot S0'])
    expect(queue.bytes).toBe(0)
  })

  test('queues a state without a symbol like a trade', () => {
    const queue = outbox()
    queue.message(message('snapshot', undefined))
    queue.message(message('snapshot', undefined))
    expect(drain(queue)).toEqual(['snapshot undefined', 'snapshot undefined'])
  })
})

describe('trades', () => {
  test('are all queued in the order received, between states and notices', () => {
    const queue = outbox()
    queue.message(message('tick', 'A'))
    queue.message(message('snapshot', 'A'))
    queue.notice(stalled(1))
    queue.message(message('tick', 'A'))
    queue.message(message('snapshot', 'A'))
    queue.message(message('some-topic', 'A'))
    expect(drain(queue)).toEqual(['tick A', 'snapshot A +1', 'stalled', 'tick A', 'unknown A'])
  })

  test('are dropped beyond the limit in bytes, oldest first, and counted and reported once', () => {
    const size = messageSize(message('tick', 'A'))
    const queue = outbox(size * 2)
    for (let index = 0; index < 10; index += 1) queue.message(message('tick', 'A'))
    expect(queue.bytes).toBeLessThanOrEqual(size * 2)
    expect(drain(queue)).toEqual(['dropped 8, 80 bytes', 'tick A', 'tick A'])
  })

  test('count the bytes of the name of an unknown topic', () => {
    const queue = outbox(1_000_000)
    for (let at = 0; at < 100; at += 1) queue.message(message(`${at}${'t'.repeat(65_000)}`, undefined, 0))
    expect(queue.bytes).toBeLessThanOrEqual(1_000_000)
    expect(queue.size).toBeLessThan(10)
  })

  test('include a single one that is larger than the limit', () => {
    const queue = outbox(100)
    queue.message(message('tick', 'A', 5000))
    expect(drain(queue)).toEqual(['tick A'])
  })
})

describe('the consumer', () => {
  test('is woken once, and gets queued items before the end', async () => {
    const queue = outbox()
    const filled = queue.readable()
    queue.message(message('tick', 'A'))
    expect(await filled).toBe(true)
    queue.close()
    queue.message(message('tick', 'LATE'))
    expect(drain(queue)).toEqual(['tick A'])
    expect(await queue.readable()).toBe(false)
  })

  test('gets an error once, after the queued items', async () => {
    const queue = outbox()
    queue.message(message('tick', 'A'))
    queue.close({ error: new Error('over') })
    expect(await queue.readable()).toBe(true)
    queue.shift()
    await expect(queue.readable()).rejects.toThrow('over')
    expect(await queue.readable()).toBe(false)
  })

  test('gets batches of at most the requested length', () => {
    const queue = outbox()
    for (let index = 0; index < 5; index += 1) queue.message(message('tick', 'A'))
    expect(queue.shiftMany(3)).toHaveLength(3)
    expect(queue.shiftMany(3)).toHaveLength(2)
    expect(queue.shiftMany(3)).toBeUndefined()
  })

  test('does not accumulate notices if it does not read for hours', () => {
    const queue = outbox()
    for (let index = 0; index < 5000; index += 1) queue.notice(stalled(index))
    const seen = drain(queue)
    expect(seen).toHaveLength(1001)
    expect(seen[0]).toBe('dropped 4000, 0 bytes')
  })

  test('gets all backfilled items, and loses no notice for them', () => {
    const queue = new ConflatingQueue<{ readonly type: 'backfilled'; readonly at: number }>(
      { maxTickBytes: 100_000, maxStateBytes: 100_000 },
      () => 77,
    )
    queue.notice(stalled(1))
    for (let at = 0; at < 5000; at += 1) queue.pushBackfilled({ type: 'backfilled', at })
    const items = queue.shiftMany(10_000) ?? []
    expect(items).toHaveLength(5001)
    expect(items[0]).toMatchObject({ kind: 'stalled' })
    expect(items[5000]).toMatchObject({ at: 4999 })
  })

  test('releases everything on close', async () => {
    const queue = outbox()
    for (let index = 0; index < 5; index += 1) queue.message(message('snapshot', `S${index}`))
    queue.clear()
    expect(queue.size).toBe(0)
    expect(queue.bytes).toBe(0)
    expect(queue.shift()).toBeUndefined()
    expect(await queue.readable()).toBe(false)
  })
})
