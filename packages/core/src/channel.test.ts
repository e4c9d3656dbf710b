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
