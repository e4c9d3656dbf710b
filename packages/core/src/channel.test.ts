import { describe, expect, test } from 'vitest'
import { createChannel } from './channel.ts'

describe('channel', () => {
  test('hands items over in order, whether the consumer waits or not', async () => {
    const channel = createChannel<number>()
    channel.push(1)
    expect(await channel.next()).toEqual({ done: false, value: 1 })
    const waiting = channel.next()
    channel.push(2)
    expect(await waiting).toEqual({ done: false, value: 2 })
    expect(channel.size).toBe(0)
  })

  test('what is queued survives close', async () => {
    const channel = createChannel<number>()
    channel.push(1)
    channel.close()
    channel.push(2)
    const seen: number[] = []
    for await (const item of channel) seen.push(item)
    expect(seen).toEqual([1])
  })

  test('what is queued comes before the error, which comes once', async () => {
    const channel = createChannel<number>()
    channel.push(1)
    channel.fail(new Error('broken'))
    expect(await channel.next()).toEqual({ done: false, value: 1 })
    await expect(channel.next()).rejects.toThrow('broken')
    expect(await channel.next()).toEqual({ done: true, value: undefined })
  })

  test('leaving the loop tells the producer once and drops the queue', async () => {
    let left = 0
    const channel = createChannel<number>({ onLeave: () => (left += 1) })
    for (let item = 0; item < 3000; item += 1) channel.push(item)
    for await (const item of channel) if (item === 2000) break
    await channel.return()
    expect(left).toBe(1)
    expect(channel.size).toBe(0)
    expect(channel.closed).toBe(true)
  })

  test('leaving after the end, or twice, tells the producer nothing', async () => {
    let left = 0
    const channel = createChannel<number>({ onLeave: () => (left += 1) })
    channel.close()
    await channel.return()
    expect(left).toBe(0)
  })

  test('leaving drops an error that nobody has taken', async () => {
    const channel = createChannel<number>()
    channel.fail(new Error('broken'))
    await channel.return()
    expect(await channel.next()).toEqual({ done: true, value: undefined })
  })

  test('close ends every waiting call, fail rejects the first and ends the others', async () => {
    const closing = createChannel<number>()
    const ends = [closing.next(), closing.next()]
    closing.close()
    closing.fail(new Error('late'))
    expect(await Promise.all(ends)).toEqual([
      { done: true, value: undefined },
      { done: true, value: undefined },
    ])
    const failing = createChannel<number>()
    const [first, second] = [failing.next(), failing.next()]
    failing.fail(new Error('broken'))
    await expect(first).rejects.toThrow('broken')
    expect(await second).toEqual({ done: true, value: undefined })
  })

  test('keeps order and count while one side runs ahead of the other by thousands', async () => {
    const channel = createChannel<number>()
    const seen: number[] = []
    for (let item = 0; item < 5000; item += 1) {
      channel.push(item)
      if (item % 3 === 0) seen.push((await channel.next()).value ?? -1)
      expect(channel.size).toBe(item + 1 - seen.length)
    }
    channel.close()
    for await (const item of channel) seen.push(item)
    expect(seen).toEqual(Array.from({ length: 5000 }, (_, item) => item))
  })

  test('an undefined item is an item', async () => {
    const channel = createChannel<undefined>()
    channel.push(undefined)
    expect(await channel.next()).toEqual({ done: false, value: undefined })
  })

  test('tells the producer about each item taken', async () => {
    let taken = 0
    const channel = createChannel<number>({ onTake: () => (taken += 1) })
    const waiting = channel.next()
    channel.push(1)
    channel.push(2)
    await waiting
    await channel.next()
    expect(taken).toBe(2)
  })
})
