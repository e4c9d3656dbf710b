/** Functions that take items from a stream in tests. */
import type { VirtualClock } from '@brokerwire/core/testing'
import type { GrpcServer } from '@brokerwire/testing/grpc-server'
import type { BatchStream, EventStream } from '../event-stream.ts'

/** The ways to read a stream. */
export const WAYS = ['items', 'batches'] as const
/** A way to read a stream. */
export type Way = (typeof WAYS)[number]

/** The `batches()` of each stream, which may be called only once. */
const arrays = new WeakMap<object, BatchStream<unknown>>()

/** Returns the arrays of a stream. @param maxItems - Length of the longest array, used by the first call for a stream. */
export function arraysOf<Item>(stream: EventStream<Item>, maxItems = 1): BatchStream<Item> {
  const batches = (arrays.get(stream) as BatchStream<Item> | undefined) ?? stream.batches({ maxItems })
  arrays.set(stream, batches)
  return batches
}

/** Whether an item is the gap before the first subscription. Every stream without a position begins with this gap. */
function isFirstGap(item: unknown): boolean {
  const { kind, cause } = item as { readonly kind?: unknown; readonly cause?: unknown }
  return kind === 'gap' && cause === 'before-subscription'
}

/** Takes the next item or array, without the gap before the first subscription. Returns `undefined` at the end. */
export async function ask<Item>(stream: EventStream<Item>, way: Way): Promise<readonly Item[] | undefined> {
  for (;;) {
    const items = await askAll(stream, way)
    const wanted = items?.filter((item) => !isFirstGap(item))
    if (wanted === undefined || wanted.length > 0) return wanted
  }
}

/** Takes the notice `subscribed` and the gap before the first subscription. */
export async function takeBeginning<Item>(stream: EventStream<Item>, way: Way = 'items'): Promise<Item[]> {
  const items: Item[] = []
  while (items.length < 2) items.push(...((await askAll(stream, way)) ?? []))
  return items
}

async function askAll<Item>(stream: EventStream<Item>, way: Way): Promise<readonly Item[] | undefined> {
  if (way === 'batches') return (await arraysOf(stream).next()).value
  const { done, value } = await stream.next()
  return done === true ? undefined : [value]
}

/** Takes the next `count` items. */
export async function take<Item>(
  stream: EventStream<Item>,
  count: number,
  way: Way = 'items',
): Promise<Item[]> {
  const items: Item[] = []
  while (items.length < count) {
    const more = await ask(stream, way)
    if (more === undefined) throw new Error(`the stream ended after ${items.length} of ${count} items`)
    items.push(...more)
  }
  return items
}

/** Drops the connection, accepts the next one, and takes the items after the notice `reconnecting`. */
export async function takeAfterDrop<Item>(
  stream: EventStream<Item>,
  count: number,
  { server, clock, success }: { server: GrpcServer; clock: VirtualClock; success: Uint8Array },
  way: Way = 'items',
): Promise<Item[]> {
  const lost = take(stream, 1, way)
  server.drop()
  await lost
  const more = take(stream, count, way)
  await clock.advance(0)
  const call = await server.call()
  call.send(success)
  return more
}

/** Returns the request id, id or kind of an item. */
export function label(item: {
  readonly kind: string
  readonly requestId?: string
  readonly id?: string
}): string {
  return item.requestId ?? item.id ?? item.kind
}

/** Takes the next `count` items, and returns their labels. */
export async function takeLabels<Item extends Parameters<typeof label>[0]>(
  stream: EventStream<Item>,
  count: number,
  way: Way = 'items',
): Promise<string[]> {
  return (await take(stream, count, way)).map(label)
}
