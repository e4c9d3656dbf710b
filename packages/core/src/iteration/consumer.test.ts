import { describe, expect, test } from 'vitest'
import { createAbortController } from '../time/abort.ts'
import { createConsumer, ItemSource, type Producer } from './consumer.ts'

/** The shortest queue there can be. */
class Queue extends ItemSource<number> {
  readonly items: number[] = []
  override get size(): number {
    return this.items.length
  }
  override take(): number | undefined {
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
  const consumer = createConsumer<number>(
    queue,
    {
      signal: undefined,
      start: () => void calls.push('start'),
      stop: () => void calls.push('stop'),
      finish: async () => void calls.push('finish'),
      ...more,
    },
    {
      optionInvalid: (option, expected) => new Error(`${option}: ${expected}`),
      inUse: () => new Error('in use'),
      closed: () => new Error('closed'),
    },
  )
  return { queue, calls, consumer }
}

test('queued items arrive in order, then the end, and handled() is called once for each', async () => {
  const { queue, calls, consumer } = begin()
  queue.push(1, 2)
  expect(calls).toEqual([])
  expect(await consumer.next()).toEqual({ done: false, value: 1 })
  queue.close()
  expect([await consumer.next(), await consumer.next()]).toEqual([
    { done: false, value: 2 },
    { done: true, value: undefined },
  ])
  expect(calls).toEqual(['start', 'stop', 'finish'])
  expect(await consumer.next()).toEqual({ done: true, value: undefined })
  expect(calls.filter((call) => call === 'finish')).toHaveLength(1)
})

test('arrays from concurrent calls of next() are handled in the order received', async () => {
  const handled: number[] = []
  const { queue, consumer } = begin({ handled: (item) => handled.push(item), batch: (items) => items })
  const batches = consumer.batches({ maxItems: 2 })
  const both = Promise.all([batches.next(), batches.next()])
  queue.push(1, 2, 3)
  expect((await both).map(({ value }) => value)).toEqual([[1, 2], [3]])
  queue.push(4)
  await batches.next()
  expect(handled).toEqual([1, 2, 3])
})

test('concurrent calls of next() resolve in order', async () => {
  const { queue, consumer } = begin()
  const three = Promise.all([consumer.next(), consumer.next(), consumer.next()])
  queue.push(1)
  queue.push(2, 3)
  expect((await three).map(({ value }) => value)).toEqual([1, 2, 3])
})

test('a pending next() gets an item as soon as it is queued, before the next item is queued', async () => {
  const { queue, consumer } = begin()
  queue.push(1)
  await consumer.next()
  const pending = consumer.next()
  queue.push(2)
  expect(queue.size).toBe(0)
  expect(await pending).toEqual({ done: false, value: 2 })
})

test('return() does not wait for a pending next(), and discards queued items', async () => {
  const { queue, calls, consumer } = begin()
  queue.push(1)
  await consumer.next()
  const pending = consumer.next()
  expect(await consumer.return()).toEqual({ done: true, value: undefined })
  queue.push(2)
  expect(await pending).toEqual({ done: true, value: undefined })
  expect(calls.slice(0, 3)).toEqual(['start', 'stop', 'finish'])
})

test('a second return() also waits for finish(), and does not repeat its error', async () => {
  let fail = (): void => {}
  const { queue, consumer } = begin({
    finish: () =>
      new Promise((_, reject) => {
        fail = () => reject(new Error('not written'))
      }),
  })
  queue.push(1)
  await consumer.next()
  let hasEnded = false
  const first = consumer.return()
  const second = consumer.return().finally(() => {
    hasEnded = true
  })
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve()
  expect(hasEnded).toBe(false)
  fail()
  await expect(first).rejects.toThrow('not written')
  expect(await second).toEqual({ done: true, value: undefined })
})

test('a consumer that is closed before its first next() does not start', async () => {
  const { queue, calls, consumer } = begin()
  await consumer.return()
  queue.push(1)
  expect(await consumer.next()).toEqual({ done: true, value: undefined })
  expect(calls).not.toContain('start')
})

describe('an error', () => {
  test('is thrown once, after the queued items', async () => {
    const { queue, consumer } = begin()
    queue.push(1)
    queue.close({ error: new Error('mine') })
    expect(await consumer.next()).toEqual({ done: false, value: 1 })
    await expect(consumer.next()).rejects.toThrow('mine')
    expect(await consumer.next()).toEqual({ done: true, value: undefined })
  })

  test('of start() is thrown, and a later error of finish() is not', async () => {
    const { consumer } = begin({
      start: () => {
        throw new Error('first')
      },
      finish: () => Promise.reject(new Error('second')),
    })
    await expect(consumer.next()).rejects.toThrow('first')
  })

  test('of finish() is thrown at the end', async () => {
    const { queue, consumer } = begin({ finish: () => Promise.reject(new Error('not written')) })
    queue.close()
    await expect(consumer.next()).rejects.toThrow('not written')
  })
})

test('an abort discards queued items, and its reason is thrown once', async () => {
  const { signal, abort } = createAbortController()
  const { queue, calls, consumer } = begin({ signal })
  queue.push(1, 2)
  await consumer.next()
  abort('enough')
  await expect(consumer.next()).rejects.toBe('enough')
  expect(await consumer.next()).toEqual({ done: true, value: undefined })
  expect(calls).toContain('stop')
})

test('an item is handled when the next one is requested; return() does not handle the last one', async () => {
  const handled: number[] = []
  const { queue, consumer } = begin({ handled: (item) => void handled.push(item) })
  queue.push(1, 2, 3)
  await consumer.next()
  expect(handled).toEqual([])
  await consumer.next()
  expect(handled).toEqual([1])
  await consumer.return()
  expect(handled).toEqual([1])
})

test('an array has the queued items, up to maxItems, and they are handled together', async () => {
  const handled: number[] = []
  const { queue, consumer } = begin({ handled: (item) => void handled.push(item) })
  queue.push(1, 2, 3)
  const batches = consumer.batches({ maxItems: 2 })
  expect((await batches.next()).value).toEqual([1, 2])
  expect((await batches.next()).value).toEqual([3])
  expect(handled).toEqual([1, 2])
  expect(() => begin().consumer.batches({ maxItems: 0 })).toThrow('maxItems')
})

describe('one reader', () => {
  type Subject = ReturnType<typeof begin>['consumer']
  const readers = {
    'for await': (consumer: Subject) => void consumer[Symbol.asyncIterator](),
    'batches()': (consumer: Subject) => void consumer.batches(),
    'next()': async (consumer: Subject) => void (await consumer.next()),
  }
  type Reader = keyof typeof readers
  const rows: readonly (readonly [first: Reader, second: Reader, outcome: string | undefined])[] = [
    ['for await', 'for await', 'in use'],
    ['for await', 'batches()', 'in use'],
    // The loop calls it, too.
    ['for await', 'next()', undefined],
    ['batches()', 'for await', 'in use'],
    ['batches()', 'batches()', 'in use'],
    ['batches()', 'next()', 'in use'],
    ['next()', 'for await', undefined],
    ['next()', 'batches()', 'in use'],
    ['next()', 'next()', undefined],
  ]
  test.each(rows)('%s, then %s: %s', async (first, second, outcome) => {
    const { queue, consumer } = begin()
    queue.push(1, 2, 3)
    await readers[first](consumer)
    const again = (async () => readers[second](consumer))()
    if (outcome === undefined) await again
    else await expect(again).rejects.toThrow(outcome)
  })

  test('a second reader fails and takes no item from the first one', async () => {
    const { queue, consumer } = begin()
    queue.push(1, 2)
    const items: number[] = []
    for await (const item of consumer) {
      expect(() => consumer[Symbol.asyncIterator]()).toThrow('in use')
      expect(() => consumer.batches()).toThrow('in use')
      items.push(item)
      if (item === 1) queue.close()
    }
    expect(items).toEqual([1, 2])
  })

  test('a second loop over the same arrays fails', async () => {
    const { queue, consumer } = begin()
    queue.push(1)
    const batches = consumer.batches()
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
    const { queue, consumer } = begin()
    queue.push(1)
    for await (const _ of consumer) {
      if (how === 'break') break
      if (how === 'return()') await consumer.return()
      else queue.close()
    }
    expect(() => consumer[Symbol.asyncIterator]()).toThrow('closed')
    expect(() => consumer.batches()).toThrow('closed')
    expect(await consumer.next()).toEqual({ done: true, value: undefined })
  })
})
