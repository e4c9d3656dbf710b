/** The queue of a slow consumer: the latest states in turn, trades up to a limit, and the number of dropped ones. */
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

function drain(box: ConflatingQueue): string[] {
  const seen: string[] = []
  for (let item = box.shift(); item !== undefined; item = box.shift()) {
    if (item.type === 'message')
      seen.push(`${item.kind} ${item.symbol}${item.replaced > 0 ? ` +${item.replaced}` : ''}`)
    else if (item.kind === 'overflow') seen.push(`dropped ${item.messages}, ${item.bytes} bytes`)
    else seen.push(item.kind)
  }
  return seen
}

describe('states', () => {
  test('queues the latest state of a symbol once, at the position of the first', () => {
    const box = outbox()
    const latest = message('snapshot', 'A')
    for (const item of [
      message('snapshot', 'A'),
      message('snapshot', 'B'),
      message('snapshot', 'A'),
      latest,
    ]) {
      box.message(item)
    }
    expect(box.size).toBe(2)
    expect(box.shift()).toBe(latest)
    expect(latest.replaced).toBe(2)
    expect(drain(box)).toEqual(['snapshot B'])
  })

  test('does not conflate a quote with a snapshot, or different topics', () => {
    const box = outbox()
    for (const topic of ['snapshot', 'quote', 'event-snapshot', 'event-quote']) {
      box.message(message(topic, 'A'))
      box.message(message(topic, 'A'))
    }
    expect(drain(box)).toEqual(['snapshot A +1', 'quote A +1', 'event-snapshot A +1', 'event-quote A +1'])
  })

  test('appends a state again after it was taken', () => {
    const box = outbox()
    box.message(message('snapshot', 'A'))
    box.shift()
    box.message(message('snapshot', 'A'))
    expect(drain(box)).toEqual(['snapshot A'])
  })

  test('does not starve a symbol if another one is frequent', () => {
    const box = outbox()
    const seen: string[] = []
    for (let round = 0; round < 50; round += 1) {
      box.message(message('snapshot', 'LOUD'))
      box.message(message('snapshot', `Q${round % 5}`))
      if (round % 2 === 1) {
        const item = box.shift()
        if (item?.type === 'message') seen.push(item.symbol ?? '')
      }
    }
    expect(new Set(seen)).toEqual(new Set(['LOUD', 'Q0', 'Q1', 'Q2', 'Q3', 'Q4']))
  })

  test('drops and counts the oldest beyond the limit', () => {
    const size = messageSize(message('snapshot', 'S0'))
    const box = outbox(0, size * 3)
    for (let index = 0; index < 5; index += 1) box.message(message('snapshot', `S${index}`))
    expect(box.bytes).toBe(size * 3)
    expect(drain(box)).toEqual(['dropped 2, 20 bytes', 'snapshot S2', 'snapshot S3', 'snapshot S4'])
    // A dropped symbol is not taken for one that waits.
    box.message(message('snapshot', 'S0'))
    expect(drain(box)).toEqual(['snapshot S0'])
    expect(box.bytes).toBe(0)
  })

  test('queues a state without a symbol like a trade', () => {
    const box = outbox()
    box.message(message('snapshot', undefined))
    box.message(message('snapshot', undefined))
    expect(drain(box)).toEqual(['snapshot undefined', 'snapshot undefined'])
  })
})

describe('trades', () => {
  test('are all queued in the order received, between states and notices', () => {
    const box = outbox()
    box.message(message('tick', 'A'))
    box.message(message('snapshot', 'A'))
    box.notice(stalled(1))
    box.message(message('tick', 'A'))
    box.message(message('snapshot', 'A'))
    box.message(message('some-topic', 'A'))
    expect(drain(box)).toEqual(['tick A', 'snapshot A +1', 'stalled', 'tick A', 'unknown A'])
  })

  test('are dropped beyond the limit in bytes, oldest first, and counted and reported once', () => {
    const size = messageSize(message('tick', 'A'))
    const box = outbox(size * 2)
    for (let index = 0; index < 10; index += 1) box.message(message('tick', 'A'))
    expect(box.bytes).toBeLessThanOrEqual(size * 2)
    expect(drain(box)).toEqual(['dropped 8, 80 bytes', 'tick A', 'tick A'])
  })

  test('a long name of an unknown topic counts as bytes', () => {
    const box = outbox(1_000_000)
    for (let at = 0; at < 100; at += 1) box.message(message(`${at}${'t'.repeat(65_000)}`, undefined, 0))
    expect(box.bytes).toBeLessThanOrEqual(1_000_000)
    expect(box.size).toBeLessThan(10)
  })

  test('include a single one that is larger than the limit', () => {
    const box = outbox(100)
    box.message(message('tick', 'A', 5000))
    expect(drain(box)).toEqual(['tick A'])
  })
})

describe('the consumer', () => {
  test('is woken once, and gets queued items before the end', async () => {
    const box = outbox()
    const filled = box.readable()
    box.message(message('tick', 'A'))
    expect(await filled).toBe(true)
    box.close()
    box.message(message('tick', 'LATE'))
    expect(drain(box)).toEqual(['tick A'])
    expect(await box.readable()).toBe(false)
  })

  test('gets an error once, after the queued items', async () => {
    const box = outbox()
    box.message(message('tick', 'A'))
    box.close({ error: new Error('over') })
    expect(await box.readable()).toBe(true)
    box.shift()
    await expect(box.readable()).rejects.toThrow('over')
    expect(await box.readable()).toBe(false)
  })

  test('gets batches of at most the requested length', () => {
    const box = outbox()
    for (let index = 0; index < 5; index += 1) box.message(message('tick', 'A'))
    expect([box.shiftMany(3)?.length, box.shiftMany(3)?.length, box.shiftMany(3)]).toEqual([3, 2, undefined])
  })

  test('does not accumulate notices if it does not read for hours', () => {
    const box = outbox()
    for (let index = 0; index < 5000; index += 1) box.notice(stalled(index))
    const seen = drain(box)
    expect(seen).toHaveLength(1001)
    expect(seen[0]).toBe('dropped 4000, 0 bytes')
  })

  test('gets all backfilled items, and loses no notice for them', () => {
    const box = new ConflatingQueue<{ readonly type: 'backfilled'; readonly at: number }>(
      { maxTickBytes: 100_000, maxStateBytes: 100_000 },
      () => 77,
    )
    box.notice(stalled(1))
    for (let at = 0; at < 5000; at += 1) box.pushBackfilled({ type: 'backfilled', at })
    const items = box.shiftMany(10_000) ?? []
    expect(items).toHaveLength(5001)
    expect([items[0], items[5000]]).toMatchObject([{ kind: 'stalled' }, { at: 4999 }])
  })

  test('releases everything on close', async () => {
    const box = outbox()
    for (let index = 0; index < 5; index += 1) box.message(message('snapshot', `S${index}`))
    box.clear()
    expect([box.size, box.bytes, box.shift(), await box.readable()]).toEqual([0, 0, undefined, false])
  })
})
