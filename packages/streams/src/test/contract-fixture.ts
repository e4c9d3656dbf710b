/**
 * Tests of the delivery contract, against a real HTTP/2 server, for both ways to read a stream.
 *
 * Each sentence of the contract has a test with its number. A sentence without a test, a test without a sentence, and a sentence
 * that begins with other words, fail.
 */
import { payloads } from '@brokerwire/payloads'
import { ModuleMessageType, ModuleSubscribeRequestSchema, TradeEventType } from '@brokerwire/protos'
import { createFailingStore, type FailingStore } from '@brokerwire/testing/failing-store'
import { type GrpcServer, type GrpcServerCall, startGrpcServer } from '@brokerwire/testing/grpc-server'
import { fromBinary } from '@bufbuild/protobuf'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { SharedContext } from '../context.ts'
import type { EventStream } from '../event-stream.ts'
import { createModuleStream, type ModuleStreamOptions } from '../module-stream.ts'
import { createTradeStream } from '../trade-stream.ts'
import { cursorKey, IDENTITY, targetOf, testContext } from './context.ts'
import { contractSentences } from './contract.ts'
import { moduleEvent, moduleFrame, tradeFrame } from './frames.ts'
import {
  arraysOf,
  ask,
  type label,
  take as takeBy,
  takeLabels as takeLabelsBy,
  WAYS,
  type Way,
} from './take.ts'

const sentences = contractSentences()
/** The sentences of the current group. A worker may load this file once for several test files. */
let tested = new Set<string>()

/** The items of the contract that each test file tests. */
const ITEMS = { module: [1, 2, 3, 4, 5, 6], trade: [7, 8], frames: [9, 10, 11] } as const

/** Declares the tests of some items, for both ways to read a stream. */
export function describeContract(part: keyof typeof ITEMS, declare: (way: Way) => void): void {
  const itemOf = (number: string): number => Number.parseInt(number, 10)
  beforeEach(async () => {
    server = await startGrpcServer()
    resetStore()
  })
  afterEach(() => server.close())
  describe.each(WAYS)('the delivery contract, read as %s', (current) => {
    beforeEach(() => {
      way = current
    })
    const declared = new Set<string>()
    tested = declared
    declare(current)
    test('every sentence has a test, and every test a sentence', () => {
      const numbers = [...sentences.keys()]
      const items: readonly number[] = ITEMS[part]
      expect([...declared].sort()).toEqual(numbers.filter((number) => items.includes(itemOf(number))).sort())
      expect([...new Set(numbers.map(itemOf))]).toEqual(Object.values(ITEMS).flat())
    })
  })
}

/** Declares the test of one or several sentences. @param begins - The words with which each begins, by its number. */
export function sentence(begins: Readonly<Record<string, string>>, run: () => Promise<void>): void {
  for (const number of Object.keys(begins)) tested.add(number)
  const title = Object.entries(begins).map(([number, begin]) => `${number} ${begin}`)
  test(title.join('; '), async () => {
    for (const [number, begin] of Object.entries(begins))
      expect(sentences.get(number)?.slice(0, begin.length)).toBe(begin)
    await run()
  })
}

/** The frame that confirms a subscription of a module stream. */
export const MODULE_SUCCESS = moduleFrame(ModuleMessageType.SubscribeSuccess)
/** The frame that confirms a subscription of a trade stream. */
export const TRADE_SUCCESS = tradeFrame(TradeEventType.SubscribeSuccess)
/** An event of the type APPLICATION. */
export const app = (n: number) => moduleEvent('APPLICATION', n)
/** A message whose event type is not UTF-8. */
export const INVALID = Uint8Array.of(0x1a, 1, 0xff)
/** An order event. */
export const order = (requestId: string, payload = '{}') => tradeFrame(1024, { requestId, payload })
/** The numbers from 0 up to, but not including, `count`. */
export const numbers = (count: number) => Array.from({ length: count }, (_, n) => n)

/** The way in which the current test reads its streams. */
let way: Way = 'items'
/** Takes the next items. */
export const take = <Item>(stream: EventStream<Item>, count: number) => takeBy(stream, count, way)
/** Takes the next items, and returns their labels. */
export const takeLabels = <Item extends Parameters<typeof label>[0]>(
  stream: EventStream<Item>,
  count: number,
) => takeLabelsBy(stream, count, way)

/** The server of the current test. */
export let server: GrpcServer
/** The store of the current test. */
export let store: FailingStore

/** Replaces the store by an empty one. */
export function resetStore(): void {
  store = createFailingStore()
}

type ModuleChange = Partial<ModuleStreamOptions>
type Change = Partial<SharedContext>

/** Creates a stream of the module `application`. */
export function openModule(options: ModuleChange = {}, change: Change = {}) {
  return createModuleStream(
    testContext({ store, identity: IDENTITY, ...change }),
    targetOf(server.url),
    { modules: ['application'], ...options },
    (frame) => payloads.module(frame),
  )
}

/**
 * Creates a stream of the module `application`, and takes its notice `subscribed`.
 *
 * @param maxItems - Reads the stream in arrays of this length. By default it is read in the way of the current test.
 */
export async function liveModule(options?: ModuleChange, change?: Change, maxItems?: number) {
  const stream = openModule(options, change)
  if (maxItems !== undefined) arraysOf(stream, maxItems)
  const first = takeBy(stream, 1, maxItems === undefined ? way : 'batches')
  const call = await server.call()
  call.send(MODULE_SUCCESS)
  await first
  return { stream, call }
}

/** Creates a trade stream of the account A1. */
export const openTrade = (change?: Change) =>
  createTradeStream(testContext(change), targetOf(server.url), 'trade', { accounts: ['A1'] }, payloads)

/** Creates a trade stream, and takes its notice `subscribed`. */
export async function liveTrade(change?: Change) {
  const stream = openTrade(change)
  const first = take(stream, 1)
  const call = await server.call()
  call.send(TRADE_SUCCESS)
  await first
  return { stream, call }
}

/** The committed position of an event type. */
export function committed(eventType = 'APPLICATION', consumer = 'default'): string | undefined {
  const json = store.entries.get(cursorKey(consumer, eventType))
  return json === undefined ? undefined : (JSON.parse(json) as { position?: string }).position
}

/** The positions that a subscription requested, by event type. */
export function requestedPositions(call: GrpcServerCall): Record<string, string> {
  const request = fromBinary(ModuleSubscribeRequestSchema, call.body.subarray(5))
  return Object.fromEntries(request.events.map((event) => [event.eventType, event.position]))
}

/** Takes items, asks for one more so that the last one counts as handled, and ends the stream. */
export async function handleAndLeave<Item>(stream: EventStream<Item>, count: number): Promise<Item[]> {
  const items = await take(stream, count)
  const pending = ask(stream, way)
  await stream.return()
  await pending
  return items
}
