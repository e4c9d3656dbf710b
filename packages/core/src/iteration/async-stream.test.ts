import { describe, expect, test } from 'vitest'
import { createAbortController } from '../time/abort.ts'
import { AsyncQueue, createAsyncStream, type Producer } from './async-stream.ts'

/** The smallest possible queue. */
class Queue extends AsyncQueue<number> {
  readonly items: number[] = []
  override get size(): number {
    return this.items.length
  }
  override shift(): number | undefined {
    return this.items.shift()
  }
  override clear(): void {
    this.items.length = 0
    super.clear()
  }
  push(...items: number[]): void {
    if (this.closed) return
    this.items.push(...items)
    this.wake()
  }
}

function begin(more: Partial<Producer<number>> = {}) {
  const queue = new Queue()
  const calls: string[] = []
  const stream = createAsyncStream<number>(
    queue,
    {
      signal: undefined,
      start: () => void calls.push('start'),
      stop: () => void calls.push('stop'),
      teardown: async () => void calls.push('teardown'),
      ...more,
    },
    {
      optionInvalid: (option, expected) => new Error(`${option}: ${expected}`),
      inUse: () => new Error('in use'),
      closed: () => new Error('closed'),
    },
  )
  return { queue, calls, stream }
}

test('queued items arrive in order, then the end, and onConsumed() is called once for each', async () => {
  const { queue, calls, stream } = begin()
  queue.push(1, 2)
  expect(calls).toEqual([])
  expect(await stream.next()).toEqual({ done: false, value: 1 })
  queue.close()
  expect([await stream.next(), await stream.next()]).toEqual([
    { done: false, value: 2 },
    { done: true, value: undefined },
  ])
  expect(calls).toEqual(['start', 'stop', 'teardown'])
  expect(await stream.next()).toEqual({ done: true, value: undefined })
  expect(calls.filter((call) => call === 'teardown')).toHaveLength(1)
})

test('arrays from concurrent calls of next() are consumed in the order received', async () => {
  const consumed: number[] = []
  const { queue, stream } = begin({ onConsumed: (item) => consumed.push(item), batch: (items) => items })
  const batches = stream.batches({ maxItems: 2 })
  const both = Promise.all([batches.next(), batches.next()])
  queue.push(1, 2, 3)
  expect((await both).map(({ value }) => value)).toEqual([[1, 2], [3]])
  queue.push(4)
  await batches.next()
  expect(consumed).toEqual([1, 2, 3])
})

test('concurrent calls of next() resolve in order', async () => {
  const { queue, stream } = begin()
  const three = Promise.all([stream.next(), stream.next(), stream.next()])
  queue.push(1)
  queue.push(2, 3)
  expect((await three).map(({ value }) => value)).toEqual([1, 2, 3])
})

test('a pending next() gets an item as soon as it is queued, before the next item is queued', async () => {
  const { queue, stream } = begin()
  queue.push(1)
  await stream.next()
  const pending = stream.next()
  queue.push(2)
  expect(queue.size).toBe(0)
  expect(await pending).toEqual({ done: false, value: 2 })
})

test('return() does not wait for a pending next(), and discards queued items', async () => {
  const { queue, calls, stream } = begin()
  queue.push(1)
  await stream.next()
  const pending = stream.next()
  expect(await stream.return()).toEqual({ done: true, value: undefined })
  queue.push(2)
  expect(await pending).toEqual({ done: true, value: undefined })
  expect(calls.slice(0, 3)).toEqual(['start', 'stop', 'teardown'])
})

test('a second return() also waits for teardown(), and does not repeat its error', async () => {
  let fail = (): void => {}
  const { queue, stream } = begin({
    teardown: () =>
      new Promise((_, reject) => {
        fail = () => reject(new Error('not written'))
      }),
  })
  queue.push(1)
  await stream.next()
  let hasEnded = false
  const first = stream.return()
  const second = stream.return().finally(() => {
    hasEnded = true
  })
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve()
  expect(hasEnded).toBe(false)
  fail()
  await expect(first).rejects.toThrow('not written')
  expect(await second).toEqual({ done: true, value: undefined })
})

test('a stream that is closed before its first next() does not start', async () => {
  const { queue, calls, stream } = begin()
  await stream.return()
  queue.push(1)
  expect(await stream.next()).toEqual({ done: true, value: undefined })
  expect(calls).not.toContain('start')
})

describe('an error', () => {
  test('is thrown once, after the queued items', async () => {
    const { queue, stream } = begin()
    queue.push(1)
    queue.close({ error: new Error('mine') })
    expect(await stream.next()).toEqual({ done: false, value: 1 })
    await expect(stream.next()).rejects.toThrow('mine')
    expect(await stream.next()).toEqual({ done: true, value: undefined })
  })

  test('of start() is thrown, and a later error of teardown() is not', async () => {
    const { stream } = begin({
      start: () => {
        throw new Error('first')
      },
      teardown: () => Promise.reject(new Error('second')),
    })
    await expect(stream.next()).rejects.toThrow('first')
  })

  test('of teardown() is thrown at the end', async () => {
    const { queue, stream } = begin({ teardown: () => Promise.reject(new Error('not written')) })
    queue.close()
    await expect(stream.next()).rejects.toThrow('not written')
  })
})

test('an abort discards queued items, and its reason is thrown once', async () => {
  const { signal, abort } = createAbortController()
  const { queue, calls, stream } = begin({ signal })
  queue.push(1, 2)
  await stream.next()
  abort('enough')
  await expect(stream.next()).rejects.toBe('enough')
  expect(await stream.next()).toEqual({ done: true, value: undefined })
  expect(calls).toContain('stop')
})

test('an item is consumed when the next one is requested; return() does not handle the last one', async () => {
  const consumed: number[] = []
  const { queue, stream } = begin({ onConsumed: (item) => void consumed.push(item) })
  queue.push(1, 2, 3)
  await stream.next()
  expect(consumed).toEqual([])
  await stream.next()
  expect(consumed).toEqual([1])
  await stream.return()
  expect(consumed).toEqual([1])
})

test('an array has the queued items, up to maxItems, and they are consumed together', async () => {
  const consumed: number[] = []
  const { queue, stream } = begin({ onConsumed: (item) => void consumed.push(item) })
  queue.push(1, 2, 3)
  const batches = stream.batches({ maxItems: 2 })
  expect((await batches.next()).value).toEqual([1, 2])
  expect((await batches.next()).value).toEqual([3])
  expect(consumed).toEqual([1, 2])
  expect(() => begin().stream.batches({ maxItems: 0 })).toThrow('maxItems')
})

describe('one reader', () => {
  type Subject = ReturnType<typeof begin>['stream']
  const readers = {
    'for await': (stream: Subject) => void stream[Symbol.asyncIterator](),
    'batches()': (stream: Subject) => void stream.batches(),
    'next()': async (stream: Subject) => void (await stream.next()),
  }
  type Reader = keyof typeof readers
  const rows: readonly (readonly [first: Reader, second: Reader, outcome: string | undefined])[] = [
    ['for await', 'for await', 'in use'],
    ['for await', 'batches()', 'in use'],
    // The loop calls the iterator function too.
    ['for await', 'next()', undefined],
    ['batches()', 'for await', 'in use'],
    ['batches()', 'batches()', 'in use'],
    ['batches()', 'next()', 'in use'],
    ['next()', 'for await', undefined],
    ['next()', 'batches()', 'in use'],
    ['next()', 'next()', undefined],
  ]
  test.each(rows)('%s, then %s: %s', async (first, second, outcome) => {
    const { queue, stream } = begin()
    queue.push(1, 2, 3)
    await readers[first](stream)
    const again = (async () => readers[second](stream))()
    if (outcome === undefined) await again
    else await expect(again).rejects.toThrow(outcome)
  })

  test('a second reader fails and takes no item from the first one', async () => {
    const { queue, stream } = begin()
    queue.push(1, 2)
    const items: number[] = []
    for await (const item of stream) {
      expect(() => stream[Symbol.asyncIterator]()).toThrow('in use')
      expect(() => stream.batches()).toThrow('in use')
      items.push(item)
      if (item === 1) queue.close()
    }
    expect(items).toEqual([1, 2])
  })

  test('a second loop over the same arrays fails', async () => {
    const { queue, stream } = begin()
    queue.push(1)
    const batches = stream.batches()
    await batches.next()
    queue.push(2)
    for await (const items of batches) {
      expect(items).toEqual([2])
      expect(() => batches[Symbol.asyncIterator]()).toThrow('in use')
      break
    }
    expect(() => batches[Symbol.asyncIterator]()).toThrow('closed')
  })

  test.each(['break', 'return()', 'the end'])('after %s no loop starts', async (how) => {
    const { queue, stream } = begin()
    queue.push(1)
    for await (const _ of stream) {
      if (how === 'break') break
      if (how === 'return()') await stream.return()
      else queue.close()
    }
    expect(() => stream[Symbol.asyncIterator]()).toThrow('closed')
    expect(() => stream.batches()).toThrow('closed')
    expect(await stream.next()).toEqual({ done: true, value: undefined })
  })
})
